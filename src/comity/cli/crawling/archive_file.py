"""Write the WACZ of a crawl."""

from ...protocol.text import printable
from ..crawl_job import JobError, OpenJob


def write_wacz_file(opened: OpenJob, name: str) -> None:
    """Write the WACZ of a worker's folder; raises `click.ClickException` if it cannot be written."""
    from ...crawl.output.wacz import write_wacz

    try:
        write_wacz(opened.folder, name, opened.options["urls"])
    except OSError as error:
        raise JobError(printable(f"{opened.folder}: {error.strerror or error}")) from None
