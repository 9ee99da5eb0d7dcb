{#
  A test of a model: every row looks like at least k_anonymity rows, and leaves at least min_posterior values
  of each sensitive column possible. It fails with one row for each group that does not, with its sizes and
  without its values.

  sensitive: the column to hide, or a list; the column that the test stands under, if none is named.
  public: the columns that everyone sees; all others of the model, if none is named.
  min_posterior: the fewest sensitive values that may be left; k_anonymity: the fewest rows that may look alike.

  A missing value is one ordinary value. Texts that differ in capitals or in blanks at their ends are one value;
  in DuckDB also numbers that amount to the same (41 and 41.0), composed and decomposed letters, and any blanks.
#}
{% test private(model, column_name=none, sensitive=none, public=none, min_posterior=none, k_anonymity=none) %}
  {%- set hidden = sensitive if sensitive is not none else column_name -%}
  {%- set hidden = [hidden] if hidden is string else (hidden or []) -%}
  {%- set shown = [public] if public is string else public -%}
  {%- if not hidden -%}
    {{ exceptions.raise_compiler_error("private: no sensitive column is named; say sensitive: COLUMN") }}
  {%- endif -%}
  {%- if min_posterior is none and k_anonymity is none -%}
    {{ exceptions.raise_compiler_error("private: no limit is set; say min_posterior or k_anonymity") }}
  {%- endif -%}
  {%- if shown is none and execute -%}
    {%- set shown = [] -%}
    {%- for column in adapter.get_columns_in_relation(model) if column.name not in hidden -%}
      {%- do shown.append(column.name) -%}
    {%- endfor -%}
  {%- endif -%}
  {%- set shown = shown or [] -%}
  {%- if execute and not shown -%}
    {{ exceptions.raise_compiler_error("private: no public column is left; say public: COLUMN") }}
  {%- endif %}
with noiseless_rows as (
  select
    {% for column in shown %}{{ adapter.quote(column) }} as p{{ loop.index }}, {% endfor %}
    {% for column in hidden %}{{ noiseless.plain_value(adapter.quote(column)) }} as s{{ loop.index }}{{ ", " if not loop.last }}{% endfor %}
  from {{ model }}
),
noiseless_groups as (
  select
    count(*) as rows_alike
    {%- for column in hidden %},
    count(distinct s{{ loop.index }}) + max(case when s{{ loop.index }} is null then 1 else 0 end) as values_left_{{ loop.index }}
    {%- endfor %}
  from noiseless_rows
  {% if shown %}group by {% for column in shown %}p{{ loop.index }}{{ ", " if not loop.last }}{% endfor %}{% endif %}
)
select * from noiseless_groups
where 1 = 0
  {% if k_anonymity is not none %}or rows_alike < {{ k_anonymity | int }}{% endif %}
  {% if min_posterior is not none %}{% for column in hidden %}or values_left_{{ loop.index }} < {{ min_posterior | int }} {% endfor %}{% endif %}
{% endtest %}


{% macro plain_value(column) %}{{ return(adapter.dispatch("plain_value", "noiseless")(column)) }}{% endmacro %}

{% macro default__plain_value(column) -%}
  nullif(lower(trim(cast({{ column }} as {{ dbt.type_string() }}))), '')
{%- endmacro %}


{% macro duckdb__plain_value(column) -%}
  {%- set text = "nullif(lower(nfc_normalize(trim(regexp_replace(cast(" ~ column ~ " as varchar), '\\s+', ' ', 'g')))), '')" -%}
  coalesce(cast(try_cast({{ text }} as double) as varchar), {{ text }})
{%- endmacro %}
