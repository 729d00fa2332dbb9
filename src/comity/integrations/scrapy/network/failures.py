"""How the failure of a download is described; the certificate of a host may be its cause."""

from OpenSSL import SSL
from service_identity import VerificationError
from twisted.web.client import ResponseFailed


def certificate_problem(failure: BaseException | None) -> str | None:
    """Return why the certificate of a host was refused; None if another failure ended the download.

    Scrapy checks certificates if its setting DOWNLOAD_VERIFY_CERTIFICATES is on.

    >>> certificate_problem(OSError("the connection was lost"))
    """
    cause = None if failure is None else failure.__cause__
    for reason in cause.reasons if isinstance(cause, ResponseFailed) else ():
        if isinstance(reason.value, VerificationError):
            return "the certificate of the host is for another name"
        if isinstance(reason.value, SSL.Error) and "certificate verify failed" in str(reason.value):
            return "the certificate of the host is not valid"
    return None


def said_by(failure: Exception) -> str:
    """Return a failure as a text.

    >>> said_by(OSError("the connection was lost")), said_by(TimeoutError())
    ('the connection was lost', 'TimeoutError')
    """
    return certificate_problem(failure) or str(failure) or type(failure).__name__
