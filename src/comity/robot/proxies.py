"""The proxies of the environment, as the URL patterns with which httpx2 selects a transport."""

from urllib.request import getproxies


def proxies_of(trust_env: bool) -> dict[str, str | None]:
    """Return the proxy for each URL pattern, or None for hosts that need no proxy.

    HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY are read as curl and `urllib.request` read them.
    """
    settings = getproxies() if trust_env else {}
    direct = [name.strip().lstrip(".") for name in settings.get("no", "").split(",") if name.strip()]
    if "*" in direct:
        return {}
    routes: dict[str, str | None] = {}
    for scheme in ("http", "https", "all"):
        if address := settings.get(scheme):
            routes[f"{scheme}://"] = address if "://" in address else f"http://{address}"
    if routes:
        for name in direct:
            host, _, port = name.partition(":") if name.count(":") == 1 else (name, "", "")
            bare = f"[{host}]" if ":" in host else host
            routes[f"all://{bare}" + (f":{port}" if port else "")] = None
            if not host.replace(".", "").isdigit() and ":" not in host:
                routes[f"all://*.{host}" + (f":{port}" if port else "")] = None
    return routes
