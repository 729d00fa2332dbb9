"""TLS contexts with certificates that an authority of a test issues."""

import ssl


def server_context(authority, *names, **changes):
    """Return the context of a server with a certificate for these names; trustme knows the `changes`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names, **changes).configure_cert(context)
    return context


def client_context(authority):
    """Return the context of a client that trusts an authority."""
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context
