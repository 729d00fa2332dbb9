"""Coroutines that are not awaited."""

import comity


async def main(robot: comity.AsyncRobot) -> None:
    verdict: comity.Verdict = robot.check("https://example.com/")  # error
    response = await robot.get("https://example.com/")
    page = robot.read(response)
    print(page.status, verdict)  # error
    with robot:  # error
        pass
