"""The APIs of other robots.txt parsers, answered by Comity: a program changes one import.

Each module has the names, the signatures and the exceptions of one library:

    comity.compat.urllib      `RobotFileParser`, as in `urllib.robotparser` of the standard library
    comity.compat.protego     `Protego`
    comity.compat.robotspy    `RobotsParser` and `RobotFileParser` of the module `robots`
    comity.compat.reppy       `Robots`, `Agent`, caches and exceptions of reppy 0.4, and parts of 0.3.4
    comity.compat.robotexclusionrulesparser
                              `RobotExclusionRulesParser` and `RobotFileParserLookalike`
"""
