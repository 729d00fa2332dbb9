"""The rules of the linter, in the order of their codes. The last ones depend on the results of the others."""

from ..rule import rule_of
from . import (
    absolute_url_in_rule,
    agent_disobeys,
    agent_is_header,
    agent_list,
    agent_twice,
    agent_with_space,
    agent_with_version,
    agent_with_wildcard,
    blank_line_in_group,
    byte_order_mark,
    closed_resources,
    closed_site,
    conflicting_delays,
    conflicting_signals,
    contradicting_rules,
    control_character,
    crawl_delay_out_of_reach,
    default_group_ignored,
    dollar_not_last,
    dot_segment,
    duplicate_rule,
    empty_agent,
    empty_allow,
    empty_disallow,
    field_ignored_by_agent,
    field_outside_group,
    file_too_large,
    foreign_comment,
    fused_groups,
    google_differs,
    group_only_allows,
    group_without_rules,
    hash_in_value,
    host_in_path,
    html_entity,
    invalid_escape,
    invalid_value,
    invisible_character,
    line_separator,
    line_too_long,
    lone_carriage_return,
    managed_block,
    misplaced_byte_order_mark,
    missing_colon,
    misspelt_agent,
    misspelt_field,
    noindex_field,
    non_ascii_path,
    not_a_field,
    not_utf_8,
    obsolete_agent,
    obsolete_field,
    older_robots_differ,
    path_without_slash,
    quoted_value,
    redundant_rule,
    regular_expression,
    repeated_host,
    revealed_path,
    robots_txt_in_rule,
    rule_never_wins,
    rule_outside_group,
    rules_not_compared,
    search_agent_among_training,
    search_engine_among_training,
    several_paths,
    signal_not_for_all,
    single_minute,
    sitemap_blocked,
    sitemap_not_absolute,
    sitemap_twice,
    sitemap_without_tls,
    space_in_path,
    split_group,
    star_for_everything,
    trailing_star,
    unescaped_character,
    unknown_field,
    unknown_label,
    unknown_preference,
    unused_ignore,
    utf_16,
    web_page,
)

__all__ = ["RULES"]

RULES = tuple(
    rule_of(module)
    for module in (
        web_page,  # C101
        utf_16,  # C102
        not_utf_8,  # C103
        byte_order_mark,  # C104
        misplaced_byte_order_mark,  # C105
        control_character,  # C106
        not_a_field,  # C107
        missing_colon,  # C108
        line_too_long,  # C109
        file_too_large,  # C110
        lone_carriage_return,  # C111
        invisible_character,  # C112
        foreign_comment,  # C113
        line_separator,  # C114
        rule_outside_group,  # C201
        field_outside_group,  # C202
        group_without_rules,  # C203
        fused_groups,  # C204
        blank_line_in_group,  # C205
        split_group,  # C206
        managed_block,  # C207
        agent_twice,  # C208
        agent_with_version,  # C209
        agent_is_header,  # C210
        agent_with_space,  # C211
        agent_with_wildcard,  # C212
        agent_list,  # C213
        empty_agent,  # C214
        misspelt_agent,  # C215
        group_only_allows,  # C216
        closed_site,  # C217
        path_without_slash,  # C301
        absolute_url_in_rule,  # C302
        dollar_not_last,  # C303
        invalid_escape,  # C304
        space_in_path,  # C305
        several_paths,  # C306
        unescaped_character,  # C307
        non_ascii_path,  # C308
        regular_expression,  # C309
        hash_in_value,  # C310
        dot_segment,  # C311
        host_in_path,  # C312
        star_for_everything,  # C313
        duplicate_rule,  # C314
        contradicting_rules,  # C315
        rule_never_wins,  # C316
        empty_allow,  # C317
        empty_disallow,  # C318
        trailing_star,  # C319
        robots_txt_in_rule,  # C320
        quoted_value,  # C321
        html_entity,  # C322
        redundant_rule,  # C323
        misspelt_field,  # C401
        unknown_field,  # C402
        noindex_field,  # C403
        obsolete_field,  # C404
        field_ignored_by_agent,  # C405
        invalid_value,  # C406
        single_minute,  # C407
        crawl_delay_out_of_reach,  # C408
        conflicting_delays,  # C409
        repeated_host,  # C410
        sitemap_not_absolute,  # C501
        sitemap_twice,  # C502
        sitemap_blocked,  # C503
        sitemap_without_tls,  # C504
        search_agent_among_training,  # C601
        search_engine_among_training,  # C602
        obsolete_agent,  # C603
        agent_disobeys,  # C604
        default_group_ignored,  # C605
        conflicting_signals,  # C606
        unknown_label,  # C607
        unknown_preference,  # C608
        signal_not_for_all,  # C609
        google_differs,  # C701
        older_robots_differ,  # C702
        revealed_path,  # C801
        closed_resources,  # C802
        unused_ignore,  # C901
        rules_not_compared,  # C902
    )
)
