"""Wrong uses of the catalogue of agents."""

import comity

agent = comity.agents.find("GPTBot")
print(agent.operator)  # error
comity.agents.find(["GPTBot"])  # error
comity.agents.by_purpose(["training"])  # error
first = comity.agents.ALL[0]
first.obeys = "yes"  # error
print(first.name)  # error
