"""A mail server on a free loopback port, which keeps each message (RFC 5321), with STARTTLS and AUTH PLAIN."""

import base64
import email
import socketserver
import threading
from email.policy import default


class MailServer(socketserver.ThreadingTCPServer):
    """A server that keeps messages.

    `tls` is the context for STARTTLS, or for the whole connection with `smtps`. `login` is a user and a
    password that a client must send. `refusals` is the number of messages that are refused first.
    """

    allow_reuse_address = daemon_threads = True

    def __init__(self, *, tls=None, smtps=False, login=None, refusals=0):
        super().__init__(("127.0.0.1", 0), _Session)
        self.tls = tls
        self.smtps = smtps
        self.login = login
        self.refusals = refusals
        self.messages = []
        #: for each message, whether its connection was encrypted
        self.encrypted = []
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def url(self):
        return f"{'smtps' if self.smtps else 'smtp'}://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request, client_address):
        """Ignore clients that hang up, as after a certificate that they do not trust."""

    def __exit__(self, *error):
        self.shutdown()
        super().__exit__(*error)


class _Session(socketserver.StreamRequestHandler):
    timeout = 10

    def handle(self):
        self.encrypted = self.known = False
        if self.server.smtps:
            self._encrypt()
        self._say("220 mail.test ESMTP")
        while line := self.rfile.readline():
            command, _, rest = line.decode("ascii").strip().partition(" ")
            answer = getattr(self, f"_{command.lower()}", None)
            if answer is None:
                self._say("502 no such command")
            elif answer(rest) is False:
                return

    def finish(self):
        super().finish()
        self.request.close()

    def _say(self, *lines):
        for number, line in enumerate(lines):
            code, text = line[:3], line[4:]
            self.wfile.write(f"{code}{' ' if number == len(lines) - 1 else '-'}{text}\r\n".encode())

    def _encrypt(self):
        super().finish()
        self.request = self.server.tls.wrap_socket(self.request, server_side=True)
        self.setup()
        self.encrypted = True

    def _ehlo(self, _):
        offers = ["250 mail.test"]
        if self.server.tls and not self.encrypted:
            offers.append("250 STARTTLS")
        if self.server.login:
            offers.append("250 AUTH PLAIN")
        self._say(*offers)

    def _starttls(self, _):
        self._say("220 go ahead")
        self._encrypt()

    def _auth(self, rest):
        _, user, password = base64.b64decode(rest.split()[1]).decode().split("\0")
        self.known = (user, password) == self.server.login
        self._say("235 welcome" if self.known else "535 wrong password")

    def _mail(self, _):
        allowed = self.known or not self.server.login
        self._say("250 ok" if allowed else "530 log in first")

    def _rcpt(self, _):
        self._say("250 ok")

    def _data(self, _):
        self._say("354 go ahead")
        lines = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        if self.server.refusals:
            self.server.refusals -= 1
            self._say("451 later")
            return
        self.server.messages.append(email.message_from_bytes(b"".join(lines), policy=default))
        self.server.encrypted.append(self.encrypted)
        self._say("250 stored")

    def _rset(self, _):
        self._say("250 ok")

    def _quit(self, _):
        self._say("221 bye")
        return False
