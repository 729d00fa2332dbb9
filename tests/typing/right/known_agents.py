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
hosts: tuple[str, ...] = agents.ALL[0].hosts
header: str | None = agents.ALL[0].user_agent
assert agents.find("Googlebot") is not None
answers: list[str] = [agent.obeys_meta_robots for agent in agents.ALL]
assert set(answers) <= set(agents.OBEYS)
counts = {purpose: len(agents.by_purpose(purpose)) for purpose in agents.PURPOSES}
assert counts["training"]
