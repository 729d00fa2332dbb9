"""The crawlers that a log names."""

import comity
from comity import agents

HEADERS = ["Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)", "ExampleBot/1.0"]


def operator(header: str) -> str:
    agent: agents.Agent | None = agents.find(header)
    return "unknown" if agent is None else agent.operator or agent.token


assert [operator(header) for header in HEADERS] == ["OpenAI", "unknown"]
tokens: list[str] = [comity.product_token(header) for header in HEADERS]
assert tokens == ["GPTBot", "ExampleBot"]
robots = comity.parse("User-agent: GPTBot\nDisallow: /")
refused = [
    agent.token for agent in agents.by_purpose("training") if not robots.allowed("/", agent=agent.names)
]
assert "GPTBot" in refused
source: agents.Source = agents.ALL[0].source_of("obeys")
assert source.checked
assert "training" in agents.PURPOSES
