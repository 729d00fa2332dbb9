"""Files for the tests of the linter: examples of rules and standards, generated files, and hostile ones."""

import re

from hypothesis import strategies as st
from strategies import DIALECT_NAMES, line_lists

import comity

_BYTES = re.compile(rb"<((?:[0-9A-F]{2} ?)+)>")


def body_of(text):
    """Return the bytes of an example, in which `<EF BB BF>` stands for bytes that cannot be written."""
    return _BYTES.sub(lambda match: bytes.fromhex(match[1].decode()), text.encode())


#: Further files for each rule: files with a finding, and files without one.
RULE_FILES = {
    "C101": ([b"\xef\xbb\xbf<meta name=x>", b"<a>"], [b"", b"# <html>", b"<!-- x -->\nUser-agent: *\nDisallow: /"]),
    "C103": ([], [b"# caf\xe9\nUser-agent: *\nDisallow:"]),
    "C104": ([b"\xef\xbb\xbf\xef\xbb\xbfUser-agent: *\nDisallow: /"], []),
    "C105": ([], [b"User-agent: *\nDisallow: /a # \xef\xbb\xbf"]),
    "C107": ([b"User-agent: *\nDisallow: /\n/private"], [b"// note", b"\n \n#"]),
    "C109": (
        [b"User-agent: *\nDisallow: /" + b"a" * 17_000],
        [b"User-agent: *\nDisallow: /a # " + b"a" * 17_000],
    ),
    "C110": ([b"User-agent: *\nDisallow: /a\n" + (b"#" * 999 + b"\n") * 600], [b"User-agent: *\nDisallow: /a\n#\n"]),
    "C111": ([b"User-agent: *\rDisallow: /"], [b"User-agent: *\r\nDisallow: /\r\n"]),
    "C112": ([b"User-agent: *\nDisallow: /\xe2\x80\x8ba"], [b"User-agent: *\nDisallow: /a # \xc2\xa0"]),
    "C113": ([b"; note", b"<!-- a: b -->\nUser-agent: *\nDisallow: /"], [b"User-agent: *\nDisallow: //a"]),
    "C115": tuple(
        [text.encode() for text in texts]
        for texts in (
        [
            "User-agent: G\u043e\u043eglebot\nDisallow: /",
            "User-agent\uff1a *\nDisallow: /a",
            "User-agent: *\nDisallow: /\u0430dmin/",
            "User-agent: *\nDisallow: /\uff41\uff44\uff4d\uff49\uff4e/",
            "User-agent: *\nDisallow: \uff0fprivate/",
            "Sitemap: https://ex\u0430mple.com/s.xml",
        ],
        [
            "User-agent: *\nDisallow: /\u043d\u043e\u0432\u043e\u0441\u0442\u0438/",
            "User-agent: *\nDisallow: /vk-\u0433\u0440\u0443\u043f\u043f\u0430/",
            "User-agent: *\nDisallow: /\u691c\u7d22\uff1f",
            "User-agent: *\nDisallow: /a # \u0430dmin",
            "User-agent: *\nDisallow: /\u0442shirt\u044b/",
        ],
    )
    ),
    "C116": (
        [
            *(b"\x89PNG\r\n\x1a\n" + b"\0" * 20 + b"\n", b"\x89PNG\r\n" + b"\0a" * 20, b"\1\0\2\0" * 40, b"\0" * 64),
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\n" + bytes(range(256)) * 4, b"a\0b\0\0\0\0\0\0\0\0\n\0\0", b"%PDF-1.7\n1 0 obj\n"],
        [b"User-agent: *\nDisallow: /\0", b"User-agent: *\x1b\nDisallow: /a"],
    ),
    "C117": (
        [b"User-agent: *\nDisallow: /a #Disallow: /b", b"Disallow: /a # User-agent: GPTBot"],
        [
            b"User-agent: *\n# Disallow: /b\nDisallow: /a",
            b"User-agent: *\nDisallow: /a # was Disallow: /b",
            b"User-agent: *\nDisallow: /a # Allow: what we want",
        ],
    ),
    "C203": (
        [
            *(b"User-agent: *\nDisallow: /a\n\nUser-agent: b", b"User-agent: *\nCrawl-delay: 1", b"User-agent: *\n# all\n"),
            b"User-agent: a\nDisallow: /\nUser-agent: b\n",
        ],
        [b"User-agent: *\nDisallow: /a\n\nUser-agent: b\nDisallow:"],
    ),
    "C204": (
        [
            b"User-agent: a\n\nUser-agent: b\nDisallow: /",
            b"User-agent: a\nCrawl-delay: 1\n\nUser-agent: b\nCrawl-delay: 2\n",
            b"User-agent: a\nCrawl-delay: 1\n\nUser-agent: b\nCrawl-delay: 1\nDisallow: /b",
            b"User-agent: a\nCrawl-delay: 1\n\nUser-agent: b\n",
            b"User-agent: a\n# Disallow: /x\nUser-agent: b\nDisallow: /",
        ],
        [
            b"User-agent: a\nUser-agent: b\nDisallow: /",
            b"User-agent: a\n\nUser-agent: b\n\nDisallow: /\n",
            b"User-agent: a\nCrawl-delay: 1\nUser-agent: a\nDisallow: /",
            b"User-agent: a\nCrawl-delay: 1\n\nUser-agent: b\nCrawl-delay: 1\n",
            b"User-agent: a\nContent-Usage: search=y\nUser-agent: b\nDisallow: /",
        ],
    ),
    "C206": (
        [
            b"User-agent: a/1\nDisallow: /\nUser-agent: A\nDisallow: /b",
            b"User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /a",
        ],
        [
            b"User-agent: a b 1\nDisallow: /\nUser-agent: a b 2\nDisallow: /b",
            b"User-agent: a\nDisallow: /\n\nUser-agent: A\nDisallow: /",
            b"User-agent: *\nUser-agent: *\nDisallow: /a",
        ],
    ),
    "C208": ([b"User-agent: *\nUser-agent: *\nDisallow: /"], []),
    "C209": ([b"User-agent: ExampleBot (beta)\nDisallow: /"], [b"User-agent: a/1, b/2\nDisallow: /"]),
    "C210": (
        [b"User-agent: mozilla/5\nDisallow: /", b"User-agent: +http://example.com/bot\nDisallow: /"],
        [b"User-agent: ExampleBot/1.0 (+https://example.com/bot)\nDisallow: /", b"User-agent: Go!Bot (x)\nDisallow: /"],
    ),
    "C211": (
        [
            b"User-agent: Example Bot/1 libwww/2\nDisallow: /",
            b"User-agent: *: Disallow: /",
            b"User-agent: GPTBot Disallow: /",
            b"User-agent: GPTBot Disallow : /a/b",
            b"User-agent: Disallow: /",
        ],
        [b"User-agent: Kangaroo Bot\nDisallow: /"],
    ),
    "C212": (
        [b"User-agent: ExampleBot*\nDisallow: /"],
        [b"User-agent: Mediapartners-Google*\nDisallow: /", b"User-agent: *\nDisallow: /*"],
    ),
    "C215": (
        [
            b"User-agent: %s\nDisallow: /" % name
            for name in (
                b"acebookexternalhit",
                b"GooglebotImage",
                b"Googlebots",
                b"GoogleBott",
                b"Bingbots",
                b"Bingbt",
                b"GPTBots",
                b"GPT-Bot",
                b"Gogglebot",
                b"Google-Extend",
                b"cc-bot",
                b"Chat-GPT",
                b"ChatGPT-Bot",
                b"ClaudeAI",
                b"PerplexityAI",
                b"OpenAI-Bot",
                b"Mistral",
                b"AdsBot",
                b"Mediapartners",
                b"Turnitin Robot",
            )
        ],
        [
            b"User-agent: Mistral\nUser-agent: MistralAI-User\nDisallow: /",
            b"User-agent: libwww\nDisallow: /",
            b"User-agent: SISTRIX\nDisallow: /",
            b"User-agent: Mozilla\nDisallow: /",
            b"User-agent: Openbot\nDisallow: /",
            b"User-agent: Imagebot\nDisallow: /",
            b"User-agent: *GPTBot*\nDisallow: /",
            b"User-agent: Google, cc-bot\nDisallow: /",
            b"User-agent: SemrushBot-SX\nDisallow: /",
            b"User-agent: Googlebotx\nDisallow: /",
            b"User-agent: GPTBo\nDisallow: /",
            b"User-agent: GPTBot\nDisallow: /",
            b"User-agent: Snapbot\nDisallow: /",
        ],
    ),
    "C213": ([b"User-agent: Example R&D, b\nDisallow: /", b"User-agent: FrontPage [NC,OR]\nDisallow: /"], []),
    "C222": (
        [
            b"User-agent: *\nDisallow: /cgi-bin/\n\nUser-agent: Slurp\nUser-agent: msnbot\nCrawl-delay: 20\n",
            b"User-agent: *\nDisallow: /a\n\nUser-agent: ExampleBot\nRequest-rate: 1/5",
        ],
        [
            b"User-agent: *\nDisallow:\n\nUser-agent: bingbot\nCrawl-delay: 5",
            b"User-agent: *\nDisallow: /\n\nUser-agent: bingbot\nCrawl-delay: 5",
            b"User-agent: *\nDisallow: /a\n\nUser-agent: bingbot\nCrawl-delay: 5\nDisallow:",
            b"User-agent: bingbot\nCrawl-delay: 5",
            b"User-agent: bingbot\nDisallow: /a\n\nUser-agent: *\nDisallow: /a\n\nUser-agent: bingbot\nCrawl-delay: 5",
        ],
    ),
    "C223": (
        [
            b"User-agent: *\nDisallow: /cart\nDisallow: /login\n\nUser-agent: bingbot\nDisallow: /cart\nDisallow: /x\n\n"
            b"User-agent: Slurp\nDisallow: /print/",
        ],
        [
            b"User-agent: *\nDisallow: /cart\nDisallow: /login\n\nUser-agent: bingbot\nDisallow: /cart\nDisallow: /login",
            b"User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nDisallow: /a",
            b"User-agent: *\nDisallow: /cart\nDisallow: /login\n\nUser-agent: Googlebot-Image\nDisallow: /photos/",
            b"User-agent: *\nDisallow: /cart\nDisallow: /login\n\nUser-agent: Googlebot\nDisallow: /c\nDisallow: /l",
            b"User-agent: *\nDisallow: /cart\nDisallow: /login\n\nUser-agent: OtherBot\nDisallow: /a",
            b"User-agent: *\nDisallow: /cart\nDisallow: /login\n\nUser-agent: Googlebot\nAllow: /",
            b"User-agent: *\nDisallow: /cart\nDisallow: /login\n\nUser-agent: bingbot\nDisallow:",
        ],
    ),
    "C224": (
        [
            b"User-agent: All Robots\nDisallow: /a",
            *(b"User-agent: %s\nDisallow: /" % name for name in (b"spider", b"AI", b"LLM bots", b"Grok", b"Copilot")),
        ],
        [b"User-agent: allegrobot\nDisallow: /", b"User-agent: Robozilla\nDisallow: /"],
    ),
    "C225": (
        [b"User-agent: Google\nDisallow: /a\n\nUser-agent: Googlebot\nDisallow: /b"],
        [b"User-agent: Google\nDisallow: /a", b"User-agent: Googlebot\nDisallow: /b"],
    ),
    "C226": (
        [b"User-agent: *\nDisallow: /a\n\nUser-agent: bingbot\nAllow: /$\nDisallow: /"],
        [b"User-agent: *\nDisallow: /", b"User-agent: *\nDisallow: /\nAllow: /$\nAllow: /shop/", b"User-agent: *\nAllow: /$"],
    ),
    "C219": (
        [b"User-agent: %s\nDisallow: /" % name for name in (b"Googlebot+", b"bingbot;", b"ClaudeBot:")],
        [b"User-agent: %s\nDisallow: /" % name for name in (b"Go!Zilla", b"MJ12bot", b"Xenu's", b"archive.org_bot")],
    ),
    "C221": (
        [
            b"User-agent: %s\nDisallow: /" % name
            for name in (b"yahoo! slurp/2", b"ChatGPT", b"Google", b"Bard", b"NotebookLM", b"Googlebot-Smartphone")
        ],
        [
            b"User-agent: Google\nUser-agent: Googlebot\nDisallow: /",
            b"User-agent: OpenAI\nDisallow: /\n\nUser-agent: GPTBot\nDisallow: /",
            b"User-agent: Yandex\nDisallow: /",
        ],
    ),
    "C216": ([], [b"User-agent: *\nAllow: /", b"User-agent: a\nAllow: /b\nUser-agent: a\nDisallow: /"]),
    "C302": ([b"User-agent: *\nAllow: Sitemap: https://example.com/s.xml"], [b"User-agent: *\nDisallow: /?u=http://a/"]),
    "C217": (
        [
            b"User-agent: *\nDisallow: /\nDisallow: /a",
            b"User-agent: *\nDisallow: /*\nCrawl-delay: 5",
            b"User-agent: a\nDisallow: /a\nDisallow: /\n\nUser-agent: *\nAllow: /robots.txt\nDisallow: /",
            b"User-agent: *\nDisallow: /\n\nUser-agent: Mediapartners-Google\nAllow: /\n\nSitemap: https://example.com/s",
            b"User-agent: Googlebot\nDisallow: /",
            b"User-agent: Googlebot*\nDisallow: /",
            b"User-agent: msnbot\nDisallow: /",
            b"User-agent: *\nDisallow: /a\n\nUser-agent: bingbot\nDisallow: /a\n\nUser-agent: BingBot\nDisallow: /",
        ],
        [
            b"User-agent: *\nDisallow: /",
            b"User-agent: *\nDisallow: /\nAllow: /$\nSitemap: https://example.com/s",
            b"User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nDisallow:\n\nSitemap: https://example.com/s",
            b"User-agent: *\nDisallow: /\n\nUser-agent: ExampleBot\nDisallow: /a\n\nSitemap: https://example.com/s",
            b"User-agent: *\nDisallow: /\n\nUser-agent: *\nAllow: /a\n\nSitemap: https://example.com/s",
            b"User-agent: Googlebot-Image\nDisallow: /\n\nUser-agent: Yandex\nDisallow: /",
            b"User-agent: Googlebot\nDisallow: /\nAllow: /a",
        ],
    ),
    "C301": ([b"User-agent: *\nDisallow: ?a"], [b"User-agent: *\nDisallow: *a", b"User-agent: *\nDisallow: '/a'"]),
    "C303": (
        [b"User-agent: *\nDisallow: /*.pdf$*", b"User-agent: *\nDisallow: /*/print$/"],
        [
            b"User-agent: *\nDisallow: /*ctl00$menu=",
            b"User-agent: *\nDisallow: /docs/$file/",
            b"User-agent: *\nDisallow: /*.pdf$",
            b"User-agent: *\nDisallow: /page$view.html",
        ],
    ),
    "C305": ([b"User-agent: *\nDisallow: /a b"], [b"User-agent: *\nDisallow: /a /b"]),
    "C306": ([b"User-agent: *\nDisallow: /a,\t/b"], [b"User-agent: *\nDisallow: /a //b", b"User-agent: *\nDisallow: /a b"]),
    "C307": (
        [b"User-agent: *\nDisallow: /a|b"],
        [b"User-agent: *\nDisallow: /a~b!$&'()+,;=:@[]", b"User-agent: *\nDisallow: /(foo|bar)/.*"],
    ),
    "C309": (
        [
            b"User-agent: *\nDisallow: " + path
            for path in (
                *(b"/(.*)/x", b"/tmp/.*", b"/tmp/.*$", b"/(foo|bar)/", b"/a/.*/print", b"/.*/print", b"/[1-9]/", b"/[A-Za-z_]+"),
                *(b"/a|/b", b"/(?i)admin", b"/\\w+/"),
            )
        ],
        [
            b"User-agent: *\nDisallow: " + path
            for path in (b"/*.html$", b"/a[0]=", b"/.*", b"/*/.*", b"/sitemap.*", b"/a_(b)", b"/a?x=1|2", b"/[J-Pop]", b"/*.*")
        ],
    ),
    "C310": (
        [b"Sitemap: https://example.com/a#b", b"User-agent: *\nDisallow: /search/#*"],
        [b"User-agent: *\nDisallow: /a # b", b"User-agent: *\nDisallow: /a# b", b"User-agent: *\nDisallow:#a"],
    ),
    "C311": ([b"User-agent: *\nDisallow: /a/./b"], [b"User-agent: *\nDisallow: /a?b=/../", b"User-agent: *\nDisallow: /..a"]),
    "C313": (
        [
            b"User-agent: *\nDisallow: %s" % value
            for value in (b"/***", b"/**$", b"/*$", b"**", b"*$", b"*\nAllow: /a", b"/a\nAllow: *", b"/a\nAllow: /**", b"*/")
        ],
        [
            b"User-agent: *\nDisallow: %s" % value
            for value in (b"/$", b"/*/", b"/**/*$", b"//", b"$", b"/$*", b"/*$*", b"/*a")
        ],
    ),
    "C314": ([], [b"User-agent: *\nDisallow: /a\nAllow: /a", b"User-agent: *\nDisallow:\nDisallow:"]),
    "C316": (
        [b"User-agent: *\nAllow: /a/b\nDisallow: */a/*b*", b"User-agent: a\nAllow: /x\nUser-agent: a\nDisallow: /x*"],
        [
            b"User-agent: *\nDisallow: /a\nDisallow: /a*",
            b"User-agent: *\nDisallow: /a\nAllow: /a/b",
            b"User-agent: a\nUser-agent: b\nAllow: /x\n\nUser-agent: a\nDisallow: /x*",  # it wins for b
        ],
    ),
    "C318": ([], [b"User-agent: *\nDisallow: /a\nDisallow:", b"User-agent: *\nDisallow:\nAllow: /a"]),
    "C319": ([], [b"User-agent: *\nDisallow: /tmp/.*"]),
    "C320": (
        [],
        [b"User-agent: *\n" + rule for rule in (b"Allow: /robots.txt", b"Disallow: /robots.txt.bak", b"Disallow: /Robots.TXT")],
    ),
    "C323": (
        [
            b"User-agent: *\nAllow: /a/b\nAllow: /a*b*\nAllow: */a*b**",
            b"User-agent: *\nDisallow: /a\nDisallow: /b\nDisallow: /***",
            b"User-agent: a\nDisallow: /x\n\nUser-agent: a\nDisallow: /x*",
        ],
        [
            b"User-agent: *\nDisallow: /~a\nDisallow: /%7Ea",
            b"User-agent: *\nDisallow: /a b\nDisallow: /a%20b*",

            b"User-agent: *\nDisallow: /a\nDisallow: /a",
            b"User-agent: *\nDisallow: /a\nDisallow: /a/b",
            b"User-agent: *\nDisallow: /a\nAllow: /a*",
            "User-agent: *\nDisallow: /caf\xe9\nDisallow: /caf%C3%A9".encode(),
            b"User-agent: *\nDisallow: a",
            b"User-agent: a\nUser-agent: b\nDisallow: /x\n\nUser-agent: a\nDisallow: /x*",
        ],
    ),
    "C324": (
        [
            b"User-agent: *\nDisallow: /*?\nDisallow: /list?page=",
            b"User-agent: *\nDisallow: /admin/\nAllow: /news/",
            b"User-agent: *\nDisallow: /a/\nAllow: /a/b/\nAllow: /a/b/c",
            b"User-agent: *\nAllow: /api$\nDisallow: /api/",
            b"User-agent: *\nAllow: /shop/\nDisallow: /shop/products/",
        ],
        [
            b"User-agent: *\nDisallow: /a/\nAllow: /a/b/\nDisallow: /a/b/c",
            b"User-agent: *\nAllow: /\nDisallow: /a/",
            b"User-agent: *\nAllow: /a/",
            b"User-agent: *\nDisallow: /shop\nAllow: /shop/open/",
            b"User-agent: *\nDisallow: /*?\nDisallow: /list",
            b"User-agent: *\nAllow: /api$\nDisallow: /api",
        ],
    ),
    "C325": (
        [
            b"User-agent: *\nDisallow: /*%3F",
            b"User-agent: *\nDisallow: /*.pdf%24",
            b"User-agent: *\nDisallow: /%2a/print/",
            b"User-agent: *\nDisallow: /list%3fsort=price",
        ],
        [
            b"User-agent: *\nDisallow: /what%3F-a-day/",
            b"User-agent: *\nDisallow: /login?return=%2Fa%3Fb=c",
            b"User-agent: *\nDisallow: /US%24-rate/",
        ],
    ),
    "C326": (
        [
            b"User-agent: *\nDisallow: /a/\nDisallow: /Test\nDisallow: /temp",
            *(b"User-agent: *\nDisallow: " + path for path in (b"/ad", b"/images", b"/cgi-bin", b"/downloads", b"/~joe")),
        ],
        [
            b"User-agent: *\nDisallow: /login\nDisallow: /search",
            b"User-agent: *\nDisallow: /test/\nDisallow: /test",
            b"User-agent: *\nDisallow: /private.html\nDisallow: /private?a",
            b"User-agent: *\nDisallow: /test\nAllow: /testimonials",
            *(b"User-agent: *\nDisallow: " + path for path in (b"/images/", b"/~", b"/a/images")),
        ],
    ),
    "C327": (
        [b"User-agent: *\nDisallow: " + path for path in (b"/.php", b"/*/.htm", b"/files/.PDF$", b"/.php?a=")],
        [b"User-agent: *\nDisallow: " + path for path in (b"/.git", b"/.env", b"/*.pdf$", b"/.well-known/", b"/a.php")],
    ),
    "C328": (
        [
            b"User-agent: *\nDisallow: " + path
            for path in (b"/wp-amdin/", b"/wp-inlcudes/", b"/*PHPSESID=", b"/blog/wp-contents/", b"/cgi-bn/")
        ],
        [
            b"User-agent: *\nDisallow: " + path
            for path in (b"/wp-admin/", b"/fcgi-bin/", b"/cgibin/", b"/cgi-bin2/", b"/*sessionid=", b"/*jsessionid")
        ]
        + [b"User-agent: *\nDisallow: /wp-amdin/\nDisallow: /wp-admin/"],
    ),
    "C329": (
        [b"User-agent: *\nDisallow: /s*", b"User-agent: *\nDisallow: /S\nDisallow: /T$"],
        [b"User-agent: *\nDisallow: " + path for path in (b"/s/", b"/s$", b"/s\nAllow: /shop", b"/1", b"/a.")],
    ),
    "C402": ([b"https://example.com/sitemap.xml"], [b"Revisit-after: 1 day", b"// a: b"]),
    "C405": (
        [
            b"User-agent: Googlebot\nUser-agent: Yandex\nCrawl-delay: 1\nDisallow:",
            b"User-agent: Googlebot\nContent-Usage: train-ai=n\nDisallow: /a",
            b"User-agent: Googlebot-Image\nDisallow: /a\nContent-Signal: ai-train=no",
            b"User-agent: Google-Extended\nDisallow: /a\nClean-param: ref /",
        ],
        [
            b"User-agent: *\nUser-agent: Googlebot\nCrawl-delay: 1\nDisallow:",
            b"User-agent: bingbot\nCrawl-delay: 1\nDisallow:",
            b"User-agent: Googlebot\nDisallow: /a\n\nClean-param: ref /",
            b"User-agent: Yandex\nDisallow: /a\nClean-param: ref /",
            b"User-agent: Googlebot\nNoindex: /a\nHost: example.com\nDisallow: /a",  # other rules report them
            b"User-agent: Applebot-Extended\nContent-Usage: train-ai=n\nDisallow:",
            b"User-agent: Googlebot\nContent-Signal: ai-train=no\nDisallow: /a\n\n"
            b"User-agent: *\nContent-Signal: ai-train=no\nDisallow: /a",  # the same for all robots
        ],
    ),
    "C406": ([], [b"Sitemap: a", b"Host: a b"]),
    "C408": (
        [
            b"User-agent: *\nCrawl-delay: 1e9\nDisallow:",
            b"User-agent: bingbot\nCrawl-delay: 45\nDisallow: /a",
            b"User-agent: Slurp\nUser-agent: MSNBot\nCrawl-delay: 31\nDisallow: /a",
        ],
        [
            b"User-agent: BadBot\nCrawl-delay: 3600\nDisallow: /",
            b"User-agent: *\nCrawl-delay: 60\nDisallow:",
            b"User-agent: bingbot\nCrawl-delay: 30\nDisallow: /a",
            b"User-agent: Slurp\nCrawl-delay: 45\nDisallow: /a",
        ],
    ),
    "C409": (
        [b"User-agent: *\nCrawl-delay: 1,5\nCrawl-delay: 5\nCrawl-delay: 6\nDisallow:"],
        [
            b"User-agent: *\nCrawl-delay: 5\nCrawl-delay: 5\nDisallow:",
            b"User-agent: *\nCrawl-delay: 5\nCrawl-delay: 5.0\nDisallow:",
            b"User-agent: *\nCrawl-delay: 1,5\nCrawl-delay: 5\nDisallow:",
        ],
    ),
    "C503": ([], [b"User-agent: *\nDisallow: /\nSitemap: https://example.com/s.xml"]),
    "C505": (
        [
            b"Sitemap: https://example.com/a.xml, https://example.com/b.xml",
            b"Sitemap: https://example.com/a.xmlhttps://example.com/b.xml.gz",
        ],
        [
            b"Sitemap: https://example.com/get?url=https://example.com/b.xml",
            b"Sitemap: https://web.archive.org/web/https://example.com/s.xml",
        ],
    ),
    "C506": (
        [b"Sitemap: https://example.com", b"Sitemap: http://www.example.com/index.html"],
        [b"Sitemap: https://example.com/?sitemap=1", b"Sitemap: https://example.com/sitemap/"],
    ),
    "C507": (
        [
            b"Sitemap: https://%s/sitemap.xml" % host
            for host in (
                *(b"127.0.0.1", b"10.1.2.3:8080", b"shop.local", b"web01", b"www.yourdomain.com", b"your-site.co.uk"),
                *(b"staging.example.com", b"www-stg.example.com", b"www.staging.example.com", b"uat.shop.example.co.uk"),
                *(b"localhost:3000", b"dev.localhost", b"[::1]", b"[::1]:8080", b"[fd00::1]"),
            )
        ]
        + [b"Sitemap: https://www.example.com/a\nSitemap: https://dev.example.com/b"],
        [
            *(
                b"Sitemap: https://%s/sitemap.xml" % host
                for host in (b"1.1.1.1", b"localhost.example.com", b"my-store.example.com", b"dev.example.com", b"stage.com",
                             b"staging.co.uk", b"www.stage.com", b"[2001:4860:4860::8888]")
            ),
            b"Sitemap: https://dev.example.org/a\nSitemap: https://www.example.com/b",
        ],
    ),
    "C508": (
        [],
        [
            b"Sitemap: https://www.example.co.uk/a\nSitemap: https://example.co.uk/b\nSitemap: https://news.example.co.uk/c",
            b"# we use Shopify as our ecommerce platform\nSitemap: https://a.example/sitemap.xml\nSitemap: https://b.example/1\n"
            b"Sitemap: https://b.example/2",
            b"Sitemap: https://example.com/a\nSitemap: https://example.org/b",
        ],
    ),
    "C509": ([b"Sitemap: hhttps://example.com/s.xml", b"Sitemap: file://www/s.xml"], [b"Sitemap: HTTP://example.com/s.xml"]),
    "C601": (
        [b"User-agent: GPTBot\nUser-agent: PerplexityBot\nDisallow: /", b"User-agent: PerplexityBot\nDisallow: /\nUser-agent: GPTBot\nDisallow: /"]
        + [
            b"User-agent: GPTBot\nUser-agent: OAI-SearchBot\n" + rules
            for rules in (
                b"Disallow: /\nAllow: /robots.txt",
                b"Disallow: /\nAllow: /$",
                b"Disallow: /**\nAllow: /",
                b"Disallow: /\nAllow: /robots.txt\nAllow: /$\nAllow: /ads.txt",
                b"Disallow: /\n\nUser-agent: OAI-SearchBot\nAllow: /$",
            )
        ],
        [
            b"User-agent: OAI-SearchBot\nDisallow: /",
            b"User-agent: GPTBot\nUser-agent: PerplexityBot\nDisallow: /a",
            b"User-agent: GPTBot\nDisallow: /\nUser-agent: PerplexityBot\nDisallow: /\nAllow: /a",
            b"User-agent: GPTBot\nUser-agent: PerplexityBot\nUser-agent: *\nDisallow: /",
        ],
    ),
    "C602": (
        [b"User-agent: GPTBot\nUser-agent: Applebot\nDisallow: /", b"User-agent: Googlebot\nDisallow: /\n\nUser-agent: GPTBot\nDisallow: /"]
        + [
            b"User-agent: GPTBot\nUser-agent: bingbot\n" + rules
            for rules in (
                b"Disallow: /\nAllow: /robots.txt",
                b"Disallow: /\nAllow: /$",
                b"Disallow: /*\nAllow: /\nAllow: *",
                b"Disallow: /\nAllow: page",
            )
        ],
        [
            b"User-agent: GPTBot\nUser-agent: bingbot\nDisallow: /\nAllow: /*",
            b"User-agent: GPTBot\nUser-agent: bingbot\nDisallow: /\nAllow: /a$",
            b"User-agent: Googlebot\nDisallow: /",
            b"User-agent: GPTBot\nDisallow: /\nUser-agent: Googlebot\nDisallow: /a",
            # a long list of unwanted robots
            b"".join(b"User-agent: unwanted%d\n" % number for number in range(20))
            + b"User-agent: CCBot\nUser-agent: Applebot\nDisallow: /",
        ],
    ),
    "C603": ([], [b"User-agent: anthropic-ai\nUser-agent: ClaudeBot\nDisallow: /"]),
    "C701": (
        [
            b"User-agent: *\nDisallowed: /a",
            b"User-agent: Googlebot\nDisallow: /\nAllow: /index.html",
            b"User-agent: *\nDisallow: /a?u=:",
            b"User-agent: *\nDisallow: /\nAllow: /a?u=%3A",
            b"User-agent: a\nContent-Usage: search=n\nUser-agent: b\nDisallow: /",
        ],
        [
            b"User-agent: ExampleBot\nDisallow: /%7Ejoe",
            b"User-agent: *\nDisallow: /%2f",
            b"User-agent: ExampleBot\nDisallow: /a?u=:",
            b"User-agent: *\nDisallow: /a?x=&",  # `&` and `%26` differ for all robots
            b"User-agent: *\nDisallow: /a?x=%26",
            b"User-agent: a\nUser-agent: b\nContent-Usage: search=n\nDisallow: /",
            b"User-agent: a\nContent-Usage: search=n\nUser-agent: b\n",
        ],
    ),
    "C703": (
        [
            b"User-agent: *\n" + b"".join(b"Disallow: /%d\n" % n for n in range(2_049)),
            b"User-agent: Yandex\nDisallow: /" + b"a" * 1_024,
            b"User-agent: *\nDisallow: /a\nClean-param: " + b"a&" * 250 + b"b",
        ],
        [b"User-agent: Yandex\nDisallow: /a\n\nUser-agent: *\nDisallow: /" + b"a" * 1_024],
    ),
    "C802": (
        [
            b"User-agent: *\nDisallow: %s" % rule
            for rule in (
                *(b"/*.css$", b"*.js", b"/*.js", b"/css", b"/assets/", b"/static/*", b"/wp-includes/", b"/skin/", b"/shop/js/"),
                *(b"/wp-content/\nAllow: /wp-content/uploads/", b"/includes/\nDisallow: /misc/\nDisallow: /modules/"),
                *(b"/assets/*.js", b"/assets/*.js$", b"/theme/*.css?", b"/theme/*.min.js", b"/*.css?", b"/a/b/*.js*"),
                *(b"/administrator/\nDisallow: /media/", b"/assets/\nAllow: /*.css\nAllow: /*.js"),
                *(b"/_next/", b"/_next/static", b"/*/_nuxt/", b"/_layouts/", b"/core/", b"/pub/static/", b"/bundles/"),
                *(b"/typo3conf/", b"/typo3temp/", b"/etc.clientlibs/", b"/etc/designs/", b"*/wp-content/plugins/"),
                *(b"/blog/wp-content/plugins", b"/blog/wp-includes/", b"/profiles/\nDisallow: /misc/", b"/images/", b"/img"),
                *(b"/includes/\nDisallow: /modules/", b"/components/\nDisallow: /templates/", b"/sites/default/files/"),
                *(b"/*?", b"*?*", b"/*?ver=", b"/wp-admin/\nDisallow: /*?", b"/_next/\nAllow: /_next/image"),
            )
        ]
        + [b"User-agent: Googlebot\nDisallow: /js/\n\nUser-agent: *\nDisallow: /js/"]
        + [b"User-agent: msnbot\nDisallow: /js/"],
        [
            b"User-agent: *\nDisallow: %s" % rule
            for rule in (
                *(b"/js$", b"/js.html", b"/*.json", b"/*.jsp", b"/media/", b"/modules/", b"/wp-content/cache/", b"/jsp/", b"/tools/scripts/"),
                *(b"/admin/\nDisallow: /admin/*.js", b"/theme/*.js?\nAllow: /theme/*.js?", b"/ads/track*.js", b"/js?"),
                *(b"/assets/\nAllow: /assets/*.css\nAllow: /assets/*.js", b"/wp-content/\nAllow: /wp-content/themes/", b"/static/a.html"),
                b"/misc/\nDisallow: /modules/\nAllow: /misc/*.js$\nAllow: /modules/*.css$\nAllow: /modules/*.js$",
                *(b"/misc/", b"/templates/", b"/connectors/\nDisallow: /core/", b"/dist/", b"/my/images/", b"/_next/image"),
                *(b"/?", b"/*?sort=", b"/*?\nAllow: /*.css\nAllow: /*.js", b"/_next/\nAllow: /_next/static/", b"/images/x.gif"),
                b"/core/\nAllow: /core/*.css$\nAllow: /core/*.js$",
            )
        ]
        + [b"User-agent: ExampleBot\nDisallow: /js/", b"User-agent: *\nDisallow: /\nDisallow: /js/"]
        + [
            b"# Squarespace Robots Txt\nUser-agent: *\nDisallow: /static/",
            b"# we use Shopify as our ecommerce platform\nUser-agent: *\nDisallow: /cdn/wpm/*.js",
        ],
    ),
    "C801": (
        [
            b"User-agent: *\nDisallow: %s" % path
            for path in (
                *(b"/x?token=1f3a", b"/intern/passwords.txt", b"/private.zip$", b"/wp-config.php", b"/a/Backup.tar.gz"),
                *(b"/wp-config.php.bak", b"/dump.sql.zip", b"/keys.kdbx", b"/db.sqlite", b"/secrets.yml", b"/id_rsa"),
            )
        ],
        [
            b"User-agent: *\nDisallow: %s" % path
            for path in (
                *(b"/*?token=", b"/user/password/", b"/*.sql$", b"/*.zip$", b"/private/", b"/downloads/manual.zip"),
                *(b"/cache.old", b"/password.php", b"/private.html", b"/database/", b"/password-reset.txt", b"/old", b"/*.bak"),
            )
        ],
    ),
    "C901": (
        [b"# comity: ignore\n", b"User-agent: * # comity: ignore C999\nDisallow:", b"# comity: ignore C301"],
        [b"# comity: ignore C301\nDisallow: a\n", b"# comity:ignore C201\nDisallow: /a\n"],
    ),
    "C902": (
        [
            b"User-agent: *\n" + b"Disallow: /*\n" * 2_501,
            b"".join(b"User-agent: a%d\n" % n + b"Disallow: /%d\n" % n * 4_500 for n in range(5)),
        ],
        [b"User-agent: *\n" + b"Disallow: /*\n" * 2_500],
    ),
    "C803": (
        [b"User-agent: *\nDisallow: " + path for path in (b"/.well-known", b"/.", b"/.*")],
        [
            b"User-agent: *\nDisallow: " + path
            for path in (b"/", b"/.git", b"/.\nAllow: /.well-known/", b"/.well-known/acme-challenge/")
        ],
    ),
}  # fmt: skip


#: The example files of the standards, except those that show merged groups or wrong rules.
STANDARD_EXAMPLES = {
    "rfc 9309, 5.1": """\
User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
""",
    "rfc 9309, 5.2": """\
User-Agent: foobot
Allow: /example/page/
Disallow: /example/page/disallowed.gif
""",
    "rfc 9309, 2.2.4": """\
User-Agent: *
Disallow: /one/
Sitemap: https://example.com/sitemap.xml
""",
    "1994, cyberworld": """\
# robots.txt for http://www.example.com/

User-agent: *
Disallow: /cyberworld/map/ # This is an infinite virtual URL space
Disallow: /tmp/ # these will soon disappear
Disallow: /foo.html
""",
    "1994, cybermapper": """\
# robots.txt for http://www.example.com/

User-agent: *
Disallow: /cyberworld/map/ # This is an infinite virtual URL space

# Cybermapper knows where to go.
User-agent: cybermapper
Disallow:
""",
    "1994, go away": "# go away\nUser-agent: *\nDisallow: /\n",
    "1994, nothing": "",
    "1996, section 4": """\
# /robots.txt for http://www.fict.org/
# comments to webmaster@fict.org

User-agent: unhipbot
Disallow: /

User-agent: webcrawler
User-agent: excite
Disallow:

User-agent: *
Disallow: /org/plans.html
Allow: /org/
Allow: /serv
Allow: /~mak
Disallow: /
""",
    "google, create a file": """\
User-agent: Googlebot
Disallow: /nogooglebot/

User-agent: *
Allow: /

Sitemap: https://www.example.com/sitemap.xml
""",
    "google, groups": """\
user-agent: a
disallow: /c

user-agent: b
disallow: /d

user-agent: e
user-agent: f
disallow: /g

user-agent: h
""",
    "google, one image": "User-agent: Googlebot-Image\nDisallow: /images/dogs.jpg\n",
    "google, a kind of file": "User-agent: Googlebot\nDisallow: /*.xls$\n",
    "google, all but ads": "User-agent: *\nDisallow: /\n\nUser-agent: Mediapartners-Google\nAllow: /\n",
    "google, precedence": "user-agent: *\nallow: /$\ndisallow: /\n",
    "aipref, attach": """\
User-Agent: *
Allow: /
Disallow: /never/
Content-Usage: train-ai=n
Content-Usage: /ai-ok/ train-ai=y

User-Agent: ExampleBot
Allow: /
Content-Usage: train-ai=y
""",
}


robots_lines = st.sampled_from(
    [
        "User-agent: *", "User-agent: Googlebot/2.1", "User-agent: GPTBot, CCBot", "User-agent: Mozilla/5.0 (x; y/1)",
        "User-agent: ExampleBot", "User-agent: examplebot", "Disallow: /a", "Disallow: /a", "Disallow: /a # x", "Allow: /a",
        "Disallow: a", "Disallow: /a /b", "Disallow: /a#b", "Disallow: https://example.com/a", "// x", "; Disallow: /b",
        "Disalow: /b", "Disallow /c", "Disallow: /*", "Disallow: *", "Disallow: /x*", "Disallow:", "Allow:", "Noindex: /a",
        "Sitemap: https://example.com/a", "Sitemap: https://example.com/a", "Sitemap: http://example.com/a", "Sitemap: /b",
        "Crawl-delay: 900", "Crawl-delay: 5", "# comity: ignore C314", "# comity: ignore C301,C999", "# BEGIN x block",
        "# END x block", "Disallow: \"/q\"", "Disallow: /é{1}", "Disallow: /a?b&amp;c", "Content-Signal: ai-train=no", "\xa0",
        "User-agent:\u200b*", "\ufeffUser-agent: *", "Disallow: /%7Ea", "Allow: /b/index.html", "", "  ", "\tDisallow: /t",
        "https://example.com/s.xml", "Useragent: ExampleBot", "USER-AGENT: *", "User-agents: ExampleBot", "Dissallow: /a",
        "Disallowed: /a", "DISALLOW : /a", "Disallow /a", "Site-map: https://example.com/a", "Sitemaps: https://example.com/a",
        "Disallow: /a\0", "Disallow: /a\0b", "Disallow:" + " " * 17_000 + "/a", "Disallow: /?a" + "&amp;" * 12,
        "Disallow: /" + "\xa0" * 12, "\ufeff" * 12 + "Disallow: /a", "Content-Usage: train-ai=n", "acap-crawler: *", "\t",
    ]
)  # fmt: skip


robots_bodies = st.one_of(
    st.binary(max_size=300),
    st.lists(st.one_of(robots_lines, robots_lines, st.text(max_size=20)), max_size=16).flatmap(
        lambda lines: st.sampled_from(["\n", "\r\n", "\r", "\n\n"]).map(
            lambda end: end.join(lines).encode("utf-8", "surrogatepass")
        )
    ),
    st.lists(
        st.tuples(robots_lines, st.sampled_from(["\n", "\r\n", "\r", "\r\r", "\r\r\n"])), max_size=16
    ).map(lambda lines: "".join(line + end for line, end in lines).encode()),
    st.lists(robots_lines, max_size=9).map(lambda lines: "\n".join(lines).encode("utf-16")),
    line_lists.map(lambda lines: "\n".join(lines).encode()),
)


_PIECES = (
    "a",
    "b",
    "c",
    "/",
    "x",
    "q",
    "?",
    "a/b",
    ".html",
    "%7Ea",
    "~a",
    "t",
    "index.html",
    "*",
    "$",
    "é",
    "{1}",
    "",
)


URLS = [f"/{one}{two}{three}" for one in _PIECES for two in _PIECES for three in _PIECES[:4]][:1000]


AGENTS = ("ExampleBot", "Googlebot", "GPTBot", "mozilla", "SomeoneElse")


def answers(body):
    return [
        (dialect, agent, comity.parse(body, dialect=dialect).rules_for(agent).allowed_many(URLS))
        for dialect in DIALECT_NAMES
        for agent in AGENTS
    ]


#: Files that could take much time to check. They take less than a second; a quadratic step takes several.
HOSTILE_FILES = {
    "many rules": b"User-agent: *\n" + b"".join(b"Disallow: /%d\n" % n for n in range(10_000)),
    "many stars": b"User-agent: *\n" + b"".join(b"Allow: /*%s\n" % (b"a*" * (n % 90)) for n in range(1_200)),
    "one line": b"User-agent: *\nDisallow: /" + b" a" * 100_000,
    "many groups": b"".join(b"User-agent: b%d\nDisallow: /\n" % n for n in range(4_000)),
    "one long group": b"User-agent: x\nCrawl-delay: 1\n" * 7_000,
    "blank lines": b"User-agent: x\n\n" * 7_000,
    "many comments": b"a # comity: ignore " + b",".join(b"D%d" % n for n in range(30_000)),
    "many comments for all": b"# comity: ignore-file C4 C301 C2\na: b\n" * 2_500,
    "marks": b"#" + b"comity: " * 30_000,
    "colons": b"User-agent: a\nDisallow: a" + b":" * 200_000,
    "allows": b"User-agent: *\nAllow: /a\n" * 3_000,
    "names": b"User-agent: " + b"a," * 100_000,
}
