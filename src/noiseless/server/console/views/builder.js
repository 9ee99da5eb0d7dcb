// A question from parts, for those who would rather choose than write.

import { field, h, put } from "../dom.js";
import { exactBits } from "../exact.js";
import { MEASURES, clickable, groupable, measurable, quoteValue, statement } from "../schema.js";

const OPERATORS = ["=", "<>", "<", "<=", ">", ">="];

const options = (pairs) => pairs.map(([value, text]) => h("option", { value }, text));

/** A form whose question `use` is called with. */
export class Builder {
  constructor(dataset, use) {
    this.dataset = dataset;
    this.measures = [...MEASURES, ...dataset.queries.map(({ name }) => ({ key: `${name}()`, name: `${name}()`, of: null, sql: () => `${name}()` }))];
    this.usual = exactBits(dataset.budget.query_bits, dataset.budget.query_bits_exact);
    this.measure = h("select", { onchange: () => this.refresh() }, options(this.possible().map((each) => [each.key, each.name])));
    this.column = h("select", { onchange: () => this.draw() });
    this.filter = h("select", { onchange: () => this.refreshValue() });
    this.operator = h("select", { onchange: () => this.draw() });
    this.valueBox = h("div", { class: "row" });
    this.limit = h("input", { type: "number", min: 0.01, step: "any", inputmode: "decimal", oninput: () => this.draw(),
      placeholder: dataset.budget.query_bits === null ? null : this.usual.split(" ")[0] });
    this.groups = groupable(dataset.columns).map((column) => ({ column, box: h("input", { type: "checkbox", onchange: () => this.draw() }) }));
    this.preview = h("pre", { "aria-label": "The question" });
    this.add = h("button", { type: "button", id: "use-question", onclick: () => use(this.sql) }, "Add this question");
    this.element = h("details", { class: "builder" }, h("summary", {}, "Build a question from parts"), this.form());
    if (this.possible().some(({ key }) => key === "avg")) this.measure.value = "avg";
    this.refresh();
  }

  possible() {
    return this.measures.filter((measure) => measure.of === null || measurable(this.dataset.columns, measure).length);
  }

  form() {
    this.columnField = field("Of the column", this.column);
    this.operatorField = field("Is", this.operator);
    this.valueField = h("div", { class: "field" }, h("label", { for: "builder-value" }, "Value"), this.valueBox);
    const limit = `Usually ${this.usual}; more bits, narrower answers.`;
    return h("div", { class: "grid" },
      field("What", this.measure), this.columnField,
      field("Only rows where", this.filter), this.operatorField, this.valueField,
      field("At most this many bits", this.limit, this.dataset.budget.query_bits === null ? null : limit),
      this.groups.length > 0 && h("fieldset", { class: "groups" }, h("legend", {}, "For each"),
        this.groups.map(({ column, box }) => h("label", { class: "check" }, box, h("code", {}, column.name)))),
      h("div", { class: "preview" }, this.preview, h("div", {}, this.add)));
  }

  get chosen() {
    return this.measures.find((each) => each.key === this.measure.value);
  }

  named(name) {
    return this.dataset.columns.find((column) => column.name === name);
  }

  filters() {
    const hidden = ["count", "sum"].includes(this.chosen.key) || (this.chosen.key === "avg" && this.dataset.budget.min_group);
    return this.dataset.columns.filter((column) => column.role === "public" || hidden);
  }

  refresh() {
    const columns = measurable(this.dataset.columns, this.chosen);
    const [last, lastFilter] = [this.column.value, this.filter.value];
    put(this.column, options(columns.map(({ name }) => [name, name])));
    this.columnField.hidden = !columns.length;
    put(this.filter, options([["", "everybody"], ...this.filters().map(({ name }) => [name, name])]));
    if (columns.some(({ name }) => name === last)) this.column.value = last;
    if (this.filters().some(({ name }) => name === lastFilter)) this.filter.value = lastFilter;
    this.refreshValue();
  }

  refreshValue() {
    const column = this.named(this.filter.value);
    this.operatorField.hidden = !column;
    this.valueField.hidden = !column;
    put(this.valueBox);
    if (column) {
      const ordered = ["number", "date"].includes(column.kind);
      put(this.operator, options((ordered ? OPERATORS : OPERATORS.slice(0, 2)).map((sign) => [sign, sign])));
      this.value = this.valueControl(column);
      this.valueBox.append(this.value);
    }
    this.draw();
  }

  valueControl(column) {
    const listed = clickable(column);
    const shared = { id: "builder-value", onchange: () => this.draw(), oninput: () => this.draw() };
    if (listed.length) return h("select", shared, options(listed.map((value, place) => [place, String(value)])));
    const [low, high] = column.bounds;
    const type = column.kind === "date" ? "date" : "number";
    return h("input", { ...shared, type, min: low, max: high, step: type === "date" ? null : "any", value: String(low) });
  }

  condition() {
    const column = this.named(this.filter.value);
    if (!column) return null;
    const listed = clickable(column);
    const value = listed.length ? listed[Number(this.value.value)] : this.value.value;
    if (value === "") return null;
    const text = column.kind === "number" ? String(value) : quoteValue(value, column.kind);
    return { column, operator: this.operator.value, value: text };
  }

  get sql() {
    const limit = Number(this.limit.value) > 0 ? this.limit.value : null;
    return statement(this.dataset.name, {
      measure: this.chosen, column: this.named(this.column.value) || null, filter: this.condition(), limit,
      groups: this.groups.filter(({ box }) => box.checked).map(({ column }) => column),
    });
  }

  draw() {
    this.preview.textContent = this.sql;
  }
}
