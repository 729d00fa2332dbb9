"""`comity.build` reads everything in a folder of fragments, or reports it."""

import errno
import os
import socket
from pathlib import Path

import pytest
from platforms import posix_only

import comity
from comity.files.owner_files import MAX_BYTES
from comity.site.assembly import sources

GOOD = b"User-agent: *\nDisallow: /shop/cart/\n"


def write(name, body=GOOD):
    return lambda folder: (folder / name).write_bytes(body)


def link(name, target):
    def create(folder):
        (folder.parent / "outside.txt").write_bytes(GOOD)
        (folder / name).symlink_to(target)

    return create


#: (case, what is added to the folder beside shop.txt, the message)
LOST = [
    ("dangling link", link("blog.txt", "no.txt"), "robots.d/blog.txt: a link that leads nowhere"),
    ("link to itself", link("blog.txt", "blog.txt"), "robots.d/blog.txt: a link that cannot be followed"),
    ("link out of the folder", link("blog.txt", "../outside.txt"), "blog.txt: a link out of the folder"),
    ("link to a folder", link("blog.txt", "."), "robots.d/blog.txt: a link out of the folder"),
    ("folder", lambda folder: (folder / "blog.txt").mkdir(), "robots.d/blog.txt: a folder, which is not read"),
    ("folder of a team", lambda folder: (folder / "blog").mkdir(), "robots.d/blog: a folder, which is"),
    ("no suffix", write("blog"), "robots.d/blog: its name does not end with .txt"),
    ("other suffix", write("blog.text"), "robots.d/blog.text: its name does not end with .txt"),
    ("suffix in capitals", write("blog.TXT"), "robots.d/blog.TXT: its name does not end with .txt"),
    ("backup", write("shop.txt~"), "robots.d/shop.txt~: its name does not end with .txt"),
    ("hidden", write(".blog.txt"), "robots.d/.blog.txt: a hidden file, which is not read"),
    ("the result", write("robots.txt"), "robots.d/robots.txt: the name of the result"),
    ("names that differ in case", write("Shop.txt"), "shop.txt: the same name as Shop.txt on many systems"),
    ("names that differ in their accents", lambda folder: [write("\xe9.txt")(folder), write("e\u0301.txt")(folder)],
     "the same name as"),
    ("empty", write("blog.txt", b""), "robots.d/blog.txt: no rule and no field in it"),
    ("only blanks", write("blog.txt", b" \n\n"), "robots.d/blog.txt: no rule and no field in it"),
    ("only comments", write("blog.txt", b"# Disallow: /blog/\n"), "robots.d/blog.txt: no rule and no field"),
    ("only a robot", write("blog.txt", b"User-agent: *\n"), "robots.d/blog.txt: no rule and no field in it"),
    ("not UTF-8", write("blog.txt", b"User-agent: *\nDisallow: /blog/\xe9"), "robots.d/blog.txt:2:"),
    ("UTF-16", write("blog.txt", "User-agent: *".encode("utf-16")), "robots.d/blog.txt:1:"),
    ("NUL", write("blog.txt", b"User-agent: *\nDisallow: /blog/\0a"), "robots.d/blog.txt:2:"),
    ("byte order mark", write("blog.txt", b"\xef\xbb\xbf" + GOOD.replace(b"shop", b"blog")), "robots.d/blog.txt:1:1"),
    ("a rule before any group", write("blog.txt", b"Disallow: /blog/"), "blog.txt:1:1: `Disallow` applies to no robot"),
    ("a path cut by a comment", write("blog.txt", b"User-agent: *\nDisallow: /blog/#x\n"), "blog.txt:2:17: `#` begins"),
    ("too large", write("blog.txt", b"#" * (MAX_BYTES + 1)), "blog.txt: cannot be read: larger than 16 MiB"),
    ("a web page", write("blog.txt", b"<!DOCTYPE html><html>"), "robots.d/blog.txt:1:1"),
]  # fmt: skip

#: The cases that need a file system that holds both names, or links.
POSIX = {
    "pipe",
    "socket",
    "suffix in capitals",
    *(row[0] for row in LOST if "link" in row[0] or "names" in row[0]),
}


@pytest.mark.parametrize(
    ("create", "message"),
    [
        pytest.param(*row[1:], id=row[0], marks=[posix_only("names and links")] * (row[0] in POSIX))
        for row in LOST
    ],
)
def test_what_is_not_read_is_an_error(site, tmp_path, monkeypatch, create, message):
    (tmp_path / "robots.d").mkdir()
    create(tmp_path / "robots.d")
    with pytest.raises(comity.errors.InvalidPlan) as caught:
        site({"robots.toml": 'close = "/tmp/"', "robots.d/shop.txt": GOOD})

    assert len(caught.value.problems) >= 1
    assert message in caught.value.problems[0]


@posix_only("pipes and sockets")
@pytest.mark.parametrize("kind", ["pipe", "socket"])
def test_file_without_content_of_its_own_is_an_error(site, tmp_path, kind):
    """A pipe is not opened, because one without a writer would block."""
    (tmp_path / "robots.d").mkdir()
    if kind == "pipe":
        os.mkfifo(tmp_path / "robots.d" / "blog.txt")
    with socket.socket(socket.AF_UNIX) as server:
        if kind == "socket":
            server.bind("robots.d/blog.txt")
        with pytest.raises(
            comity.errors.InvalidPlan, match=r"robots.d/blog.txt: cannot be read: not a regular file"
        ):
            site({"robots.d/shop.txt": GOOD})


def test_unreadable_fragment_is_an_error(site, monkeypatch):
    def refuse(path):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(sources, "read_regular", refuse)
    with pytest.raises(comity.errors.InvalidPlan, match=r"shop.txt: cannot be read: Permission denied"):
        site({"robots.d/shop.txt": GOOD})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda path: path.write_bytes(GOOD * 2), "robots.d/shop.txt: it changed while it was read"),
        (lambda path: path.unlink(), "robots.d/shop.txt: cannot be read: No such file"),
        (
            lambda path: path.with_name("blog.txt").write_bytes(GOOD),
            "robots.d: files were added or removed while it was read",
        ),
    ],
)
def test_change_while_reading_is_an_error(site, monkeypatch, change, message):
    def read(path):
        body = Path(path).read_bytes()
        change(path)
        return body

    monkeypatch.setattr(sources, "read_regular", read)
    with pytest.raises(comity.errors.InvalidPlan) as caught:
        site({"robots.d/shop.txt": GOOD})

    assert message in caught.value.problems[0]


def test_all_lost_files_are_reported_at_once(site):
    files = {"robots.d/a.md": b"", "robots.d/.b.txt": b"", "robots.d/c.txt": b"", "robots.d/shop.txt": GOOD}
    with pytest.raises(comity.errors.InvalidPlan) as caught:
        site(files)

    assert [problem.partition(": ")[0] for problem in caught.value.problems] == [
        "robots.d/.b.txt",
        "robots.d/a.md",
        "robots.d/c.txt",
    ]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"robots.d/.gitkeep": b""}, "robots.d/.gitkeep: a hidden file"),
        ({"robots.toml": 'fragments = "parts"', "parts/.x": b""}, "parts/.x: a hidden file"),
        ({"robots.d": b"User-agent: *"}, "robots.d: not a folder"),
        ({"robots.toml": "close = []", "robots.d": b"User-agent: *"}, "robots.d: not a folder"),
    ],
)
def test_folder_without_fragments_is_an_error(site, files, message):
    with pytest.raises(comity.errors.InvalidPlan, match=message):
        site(files)


PARTS = 'fragments = "parts"\n'
OWN = '[hosts."a.example"]\nfragments = "parts"\n[hosts."b.example"]\n'


@pytest.mark.parametrize(
    ("files", "options", "setting"),
    [
        ({"robots.toml": PARTS}, {}, "robots.toml: fragments"),
        ({"site.toml": PARTS}, {"source": "site.toml"}, "site.toml: fragments"),
        ({"robots.toml": 'fragments = "robots.d/no"\n'}, {}, "robots.toml: fragments"),
        ({"robots.toml": OWN + PARTS}, {"host": "b.example"}, 'robots.toml: hosts."b.example".fragments'),
    ],
)
def test_default_folder_that_no_plan_reads_is_an_error(site, files, options, setting):
    with pytest.raises(comity.errors.InvalidPlan) as caught:
        site({**files, "parts/shop.txt": GOOD, "robots.d/shop.txt": GOOD}, **options)

    assert caught.value.problems[0].startswith(f"robots.d: not read, because {setting} names ")


@pytest.mark.parametrize(
    ("files", "options"),
    [
        ({"robots.toml": OWN}, {"host": "a.example"}),  # the other host reads it
        ({"robots.toml": f"[environments.staging]\n{PARTS}"}, {"environment": "staging"}),
        (
            {"robots.toml": "close = []", "other.toml": PARTS},
            {"source": "other.toml"},
        ),  # it is for robots.toml
        ({"robots.toml": 'fragments = "./robots.d/"'}, {}),
    ],
)
def test_default_folder_that_a_plan_reads_is_no_error(site, files, options):
    assert GOOD in site({**files, "parts/shop.txt": GOOD, "robots.d/shop.txt": GOOD}, **options).body


def test_default_folder_with_the_named_folders_is_no_error(site, tmp_path):
    (tmp_path / "robots.d").mkdir()
    files = {"robots.toml": 'fragments = "robots.d/blog"', "robots.d/blog/shop.txt": GOOD}
    (tmp_path / "robots.d").joinpath("blog").mkdir()

    assert site(files).body == GOOD


@posix_only("names that differ in case")
@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"Robots.d/shop.txt": GOOD}, "Robots.d: not read, because the name is robots.d; rename it"),
        (
            {"robots.toml": "close = []", "robots.D/shop.txt": GOOD},
            "robots.D: not read, because the name is robots.d",
        ),
        (
            {"Robots.toml": "", "robots.d/shop.txt": GOOD},
            "Robots.toml: not read, because the name is robots.toml",
        ),
    ],
)
def test_other_spelling_of_a_name_is_an_error(site, files, message):
    with pytest.raises(comity.errors.InvalidPlan, match=message):
        site(files)


@pytest.mark.parametrize("body", ["", "\n", "# close = '/tmp/'\n"])
def test_plan_without_a_key_is_an_error(site, body):
    """It was probably emptied by mistake, and would open the whole site."""
    for fragments in ({}, {"robots.d/shop.txt": GOOD}):
        with pytest.raises(comity.errors.InvalidPlan, match="robots.toml: no key in it"):
            site({"robots.toml": body, **fragments})


def test_fragment_is_no_plan(site):
    with pytest.raises(
        comity.errors.InvalidPlan, match="not valid TOML.*; a fragment is read from its folder"
    ):
        site({"shop.txt": GOOD}, source="shop.txt")


def test_plan_may_say_that_the_site_is_open(site):
    assert site({"robots.toml": "keep_out = false"}).body == b"User-agent: *\nDisallow:\n"


def test_folder_of_a_project_is_no_folder_of_fragments(site):
    """The first message says why each file of the project is reported."""
    files = {"shop.txt": GOOD, "README.md": b"Tea.", ".git/config": b"[core]"}
    with pytest.raises(comity.errors.InvalidPlan) as error:
        site(files)
    assert "no robots.toml and no robots.d in it" in error.value.problems[0]
    assert len(error.value.problems) == 3


def test_empty_folder_is_an_error_without_a_plan(site, tmp_path):
    (tmp_path / "robots.d").mkdir()
    with pytest.raises(
        comity.errors.InvalidPlan, match="robots.d: an empty folder, so there is nothing to build"
    ):
        site({})
    with pytest.raises(comity.errors.InvalidPlan, match="robots.d: an empty folder"):
        site({"robots.toml": 'fragments = "robots.d"'})
    assert site({"robots.toml": 'close = "/a"'}).body == b"User-agent: *\nDisallow: /a\n"


@posix_only("links")
def test_plan_that_cannot_be_found_is_an_error(site, tmp_path):
    """Its fragments alone would be another file."""
    (tmp_path / "robots.toml").symlink_to("elsewhere.toml")
    with pytest.raises(FileNotFoundError):
        site({"robots.d/shop.txt": GOOD})


def test_result_beside_its_fragments_is_no_fragment(site):
    files = {"a.toml": 'fragments = "."', "shop.txt": GOOD, "robots.txt": b"old"}

    assert site(files, source="a.toml").body == GOOD
    assert site({}, source="a.toml").body == GOOD


def test_rule_without_a_path_is_noted(site):
    (note,) = site({"robots.d/shop.txt": b"User-agent: *\nAllow:\nDisallow: /shop/a"}).notes

    assert note.record() == {
        "kind": "rule-without-path",
        "message": "robots.d/shop.txt:2:1: `Allow:` has no path, so it has no effect and is left out",
        "sources": ["robots.d/shop.txt:2:1"],
    }
    assert site({"robots.d/shop.txt": b"User-agent: *\nDisallow:"}).notes == ()


def test_other_spelling_of_a_token_is_noted(site):
    """Robots compare names without case, so both fragments apply to one robot."""
    files = {
        "robots.d/blog.txt": b"User-agent: ExampleBot\nDisallow: /blog/a",
        "robots.d/shop.txt": b"User-agent: examplebot\nDisallow: /shop/a",
    }
    built = site(files)

    assert built.body == b"User-agent: ExampleBot\nDisallow: /blog/a\nDisallow: /shop/a\n"
    assert [(note.kind, note.sources) for note in built.notes] == [
        ("other-spelling", ("robots.d/shop.txt:1:1", "robots.d/blog.txt:1:1"))
    ]


@pytest.mark.parametrize("name", ["Google-bot", "GPTBott", "Yahoo"])
def test_name_that_no_robot_finds_is_an_error(site, name):
    """The rules would apply to no robot; a comment accepts the name of an unknown one."""
    text = f"User-agent: {name}\nDisallow: /shop/a\n"
    with pytest.raises(comity.errors.InvalidPlan, match=r"^robots.d/shop.txt:1:1: .* \(C2\d\d mis"):
        site({"robots.d/shop.txt": text})
    assert site({"robots.d/shop.txt": f"# comity: ignore C215, C221\n{text}"}).body.endswith(text.encode())


def test_comment_that_hides_findings_of_others_is_refused(site):
    text = b"# comity: ignore-file C316\nUser-agent: *\nDisallow: /shop/a"
    with pytest.raises(
        comity.errors.InvalidPlan, match=r"shop.txt:1:1: `comity: ignore-file` concerns the whole"
    ):
        site({"robots.d/shop.txt": text})


def mount(folder, names, body=GOOD):
    """Create a folder as Kubernetes mounts a ConfigMap, with a link for each name."""
    (folder / "..2026_11_23").mkdir(parents=True)
    (folder / "..data").symlink_to("..2026_11_23")
    (folder / "..2026_11_23" / "shop.txt").write_bytes(body)
    for name in names:
        (folder / name).symlink_to(f"..data/{name}")


@posix_only("links")
def test_mounted_volume_is_read(tmp_path):
    mount(tmp_path / "robots.d", ["shop.txt"])

    assert comity.build(tmp_path).body == GOOD


@posix_only("links")
@pytest.mark.parametrize(
    ("create", "message"),
    [
        (lambda folder: mount(folder, []), "robots.d/shop.txt: a file of the volume, to which no link leads"),
        (
            lambda folder: mount(folder, ["shop.txt", "blog.txt"]),
            "robots.d/blog.txt: a link that leads nowhere",
        ),
        (
            lambda folder: [mount(folder, ["shop.txt"]), (folder / "..old").mkdir()],
            "robots.d/..old: a hidden file, which is not read",
        ),
        (
            lambda folder: [folder.mkdir(), (folder / "..data").symlink_to("..")],
            "robots.d/..data: a hidden file, which is not read",
        ),
    ],
    ids=["file without a link", "link without a file", "other hidden folder", "link out of the folder"],
)
def test_file_of_a_volume_that_is_not_read_is_an_error(tmp_path, create, message):
    create(tmp_path / "robots.d")
    with pytest.raises(comity.errors.InvalidPlan, match=message):
        comity.build(tmp_path)
