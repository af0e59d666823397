"""The abstract interpreter: runs the instructions of a function over abstract values.

It executes in program order over a state of layers; the first turn of a loop is run on its own,
then a fixpoint over the others. Functions are run once for each context (see `functions`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.value import (
    EACH,
    NONE,
    UNKNOWN,
    Array,
    Constant,
    Library,
    Number,
    Object,
    Symbol,
    Tuple,
    Value,
    all_marks,
    constant,
    only,
)
from gotcha_lint.interpret import (
    attributes,
    branches,
    calls,
    clocks,
    counting,
    host,
    imports,
    loops,
    unpacking,
)
from gotcha_lint.interpret.arithmetic import binary, compare, unary
from gotcha_lint.interpret.containers import aliases, building, growing, iteration
from gotcha_lint.interpret.containers.items import item, set_item
from gotcha_lint.interpret.derivative import kept
from gotcha_lint.interpret.effects import note_end
from gotcha_lint.interpret.element_reads import of_index
from gotcha_lint.interpret.elements import after_writing
from gotcha_lint.interpret.faults import discards, pickling
from gotcha_lint.interpret.faults.assigned import check_assigned
from gotcha_lint.interpret.faults.caches import check_kept
from gotcha_lint.interpret.faults.donated import check_read
from gotcha_lint.interpret.faults.names import check_local, check_partly_bound
from gotcha_lint.interpret.faults.remarks import CAST_UNDONE, remark
from gotcha_lint.interpret.faults.signatures import check_unpacked
from gotcha_lint.interpret.faults.texts import check_format, marks_of_text
from gotcha_lint.interpret.faults.traced import check_test, made_at
from gotcha_lint.interpret.indexing import without_rest
from gotcha_lint.interpret.layers.mutable import check_attribute, check_operand
from gotcha_lint.interpret.machine import STOP, Instruction, Machine, Registers
from gotcha_lint.interpret.models import load_models
from gotcha_lint.interpret.start.startup import note_variable
from gotcha_lint.program.ir import Module
from gotcha_lint.program.modules import ModuleIndex
from gotcha_lint.program.own_casts import writes_own_cast

BUILTINS = frozenset(dir(__import__("builtins")))


class Engine(Machine):
    """The interpreter: one method for each instruction of `program.ir`."""

    def __init__(self, modules: dict[str, Module], index: ModuleIndex) -> None:
        super().__init__(modules, index)
        load_models()
        self.operations = {
            name[4:]: getattr(self, name) for name in dir(self) if name.startswith("_do_")
        }

    def attribute(self, value: Value, name: str, span: Span) -> Value:
        return attributes.attribute(self, value, name, span)

    def _started(self, result: Value) -> Value:
        """The result of an operator: on arrays of the device it is a dispatch."""
        atom = result.only
        if isinstance(atom, Array) and atom.place == "device":
            self.dispatch()
        return result

    def item(self, value: Value, key: Value, span: Span) -> Value:
        return item(self, value, key, span)

    def call(
        self, callee: Value, args: Sequence[Value], keywords: dict[str, Value], span: Span
    ) -> Value:
        return calls.call(self, callee, tuple(args), keywords, span)

    def _do_const(self, i: Instruction, r: Registers) -> None:
        if i[2] is Ellipsis:
            r[i[1]] = only(Library("builtins.Ellipsis"))
        else:
            r[i[1]] = Value((Constant(i[2], type(i[2]).__name__, (self.path, i[-1])),))

    def _do_unknown(self, i: Instruction, r: Registers) -> None:
        r[i[1]] = UNKNOWN

    def _do_load(self, i: Instruction, r: Registers) -> None:
        _, target, name, hops, span = i
        location = self.locate(name, hops)
        value = None
        if hops == 0 and not self.activation.function.is_module:
            value = self.peek(location)
            if value is None:
                check_local(self, name, span)
            elif name in self.activation.partial:
                check_partly_bound(self, name, span)
        elif location[0] != self.activation.function.path:
            value = self.read(location)
        elif hops == 0 and self.peek(location) is None and name not in BUILTINS:
            check_local(self, name, span)
        if value is None:
            if name.startswith("%"):
                value = self.peek((self.activation.frame, name))
            else:
                location = (self.activation.function.path, name)
                value = self.read(location)
        if value is None:
            known = name in BUILTINS
            value = only(Library("builtins." + name, (self.path, span))) if known else UNKNOWN
        else:
            self.activation.sources[target] = location
            if self.activation.gone:
                check_read(self, location, i)
        r[target] = value

    def _do_store(self, i: Instruction, r: Registers) -> None:
        _, _, name, hops, source, span = i
        value = r.get(source, UNKNOWN)
        location = self.locate(name, hops)
        if hops == 0:
            self.activation.partial.pop(name, None)
        self.write(location, value, None if name.startswith("%") else span)

    def _do_attr(self, i: Instruction, r: Registers) -> None:
        _, target, base, name, span = i
        value = r.get(base, UNKNOWN)
        r[target] = self.attribute(value, name, span)
        atom = value.only
        if isinstance(atom, Tuple):
            check_attribute(self, value, name, span)
        if isinstance(atom, Object):
            self.activation.sources[target] = (atom.site, name)
        elif isinstance(atom, Symbol):
            self.activation.sources[target] = (atom, name)
        elif value.unknown and base in self.activation.sources:
            self.activation.sources[target] = (self.activation.sources[base], name)
        if self.activation.gone:
            check_read(self, self.activation.sources.get(target), i)

    def _do_setattr(self, i: Instruction, r: Registers) -> None:
        _, _, base, name, source, span = i
        attributes.set_attribute(self, r.get(base, UNKNOWN), name, r.get(source, UNKNOWN), span)

    def _do_item(self, i: Instruction, r: Registers) -> None:
        _, target, base, key, span = i
        whole, where = r.get(base, UNKNOWN), r.get(key, UNKNOWN)
        found = self._started(self.item(whole, where, span))
        r[target] = of_index(self, whole, where, base, found) if self.current else found

    def _do_slice(self, i: Instruction, r: Registers) -> None:
        parts = tuple(NONE if x is None else r.get(x, UNKNOWN) for x in i[2:5])
        r[i[1]] = only(Tuple((constant("%slice"), *parts)), all_marks(parts))

    def _do_setitem(self, i: Instruction, r: Registers) -> None:
        _, _, base, key, source, place, span = i
        value = r.get(base, UNKNOWN)
        atom = r.get(key, UNKNOWN).only
        if isinstance(atom, Library) and writes_own_cast(self.activation.function, i):
            remark(self, CAST_UNDONE, span)
        set_item(self, value, r.get(key, UNKNOWN), r.get(source, UNKNOWN), span)
        if isinstance(value.only, Library) and value.only.name == "os.environ":
            note_variable(self, r.get(key, UNKNOWN), span)
        if isinstance(value.only, Library) and value.only.name == pickling.SHELF:
            pickling.note_pickled(self, r.get(source, UNKNOWN), span, "shelve.Shelf")
        check_assigned(self, i, value, r.get(key, UNKNOWN))
        check_kept(self, i, r.get(source, UNKNOWN))
        if any(isinstance(atom, Array) and atom.place == "host" for atom in value.atoms):
            changed = after_writing(value, r.get(source, UNKNOWN))
            self._changed_in_place(place, changed, span, r)

    def _changed_in_place(
        self, place: tuple[Any, ...] | None, value: Value, span: Span, r: Registers
    ) -> None:
        """An array of the host is changed: its location holds another value of that shape."""
        if place is None:
            return
        if place[0] == "name":
            self.write(self.locate(place[1], place[2]), value, span)
        elif place[0] == "attr":
            attributes.set_attribute(self, r.get(place[1], UNKNOWN), place[2], value, span)

    def _do_delete(self, i: Instruction, r: Registers) -> None:
        if i[2] == "item":
            for atom in r.get(i[3][0] if isinstance(i[3], tuple) else i[3], UNKNOWN).atoms:
                growing.shrinks(atom)

    def _do_binop(self, i: Instruction, r: Registers) -> None:
        _, target, operator, left, right, span = i
        x, y = r.get(left, UNKNOWN), r.get(right, UNKNOWN)
        r[target] = self._started(binary(self, operator, x, y, span))
        check_operand(self, operator, x, y, span)
        if operator == "Sub" and x.marks:
            r[target] = clocks.difference(self, r[target], x, y, span)

    def _do_augment(self, i: Instruction, r: Registers) -> None:
        _, target, operator, left, right, place, span = i
        old = r.get(left, UNKNOWN)
        r[target] = self._started(binary(self, operator, old, r.get(right, UNKNOWN), span))
        if self.traced:
            counting.note_count(self, place, r[target], span, r)
        if operator == "Add":
            growing.extend_in_place(self, old, r.get(right, UNKNOWN), r, target)
        atom = r[target].only
        of_object = place is not None and place[0] == "attr"
        if of_object and isinstance(atom, Constant) and atom.type in ("int", "float"):
            # A counter of an object: each call counts on.
            marks = r[target].marks | self.current | {EACH}
            r[target] = only(Number(atom.type, origin=atom.origin), marks)

    def _do_unop(self, i: Instruction, r: Registers) -> None:
        _, target, operator, operand, span = i
        if operator == "Not":
            check_test(self, r.get(operand, UNKNOWN), operand, "not", span)
        r[target] = self._started(unary(self, operator, r.get(operand, UNKNOWN), span))
        test = self.activation.tests.get(operand)
        if operator == "Not":
            if test is not None:
                self.activation.tests[target] = (test[0], test[1], not test[2])
            elif operand in self.activation.sources:
                self.activation.tests[target] = (
                    self.activation.sources[operand],
                    branches.TRUTH,
                    False,
                )

    def _do_compare(self, i: Instruction, r: Registers) -> None:
        _, target, operator, left, right, span = i
        a, b = r.get(left, UNKNOWN), r.get(right, UNKNOWN)
        r[target] = self._started(compare(self, operator, a, b, span))
        branches.note_test(self, target, operator, left, right, a, b)

    def _do_build(self, i: Instruction, r: Registers) -> None:
        _, target, kind, items, span = i
        values = [(star, r.get(x, UNKNOWN)) for star, x in items]
        spread = (value for star, value in values if star)
        r[target] = kept(self, building.build(self, kind, values, span), *spread)

    def _do_dict(self, i: Instruction, r: Registers) -> None:
        _, target, items, span = i
        pairs = [(None if k is None else r.get(k, UNKNOWN), r.get(v, UNKNOWN)) for k, v in items]
        spread = (value for key, value in pairs if key is None)
        made = kept(self, building.build_dict(self, pairs, span), *spread)
        if pairs and pairs[0][0] is None:
            aliases.shallow(made, pairs[0][1])
        r[target] = made

    def _do_append(self, i: Instruction, r: Registers) -> None:
        _, _, target, value, key, _ = i
        atom = r[target].only
        if isinstance(atom, Object):
            given = None if key is None else r.get(key, UNKNOWN)
            growing.push(self, atom.site, r.get(value, UNKNOWN), given)

    def _do_fstr(self, i: Instruction, r: Registers) -> None:
        values = [r.get(x, UNKNOWN) for x in i[2]]
        if not values:
            r[i[1]] = constant("")
            return
        for register in i[3] if self.traced else ():
            check_format(self, r.get(register, UNKNOWN), made_at(self, register, i[-1]), "field")
        seen = host.read(self, values, i[-1], "format", symbols=False)
        r[i[1]] = host.text(marks_of_text(self, values), seen)

    def _do_unpack(self, i: Instruction, r: Registers) -> None:
        _, _, source, targets, star, span = i
        whole = r.get(source, UNKNOWN)
        check_unpacked(self, whole, len(targets), star, span, source)
        values = unpacking.unpack(self, whole, len(targets), star, span)
        for target, value in zip(targets, values, strict=True):
            known = isinstance(whole.only, Tuple)  # its items say themselves what they follow from
            r[target] = value if known else kept(self, value, whole)

    def _do_closure(self, i: Instruction, r: Registers) -> None:
        _, target, function, defaults, span = i
        activation = self.activation
        site = self.allocate("function", span, function)
        self.met.closures.setdefault(function, site)
        inner = () if activation.function.is_module else (activation.frame,)
        site.info.update(
            function=function,
            environment=activation.environment + inner,
            defaults={name: r.get(x, UNKNOWN) for name, x in defaults},
        )
        r[target] = only(Object(site, (self.path, span)))

    def _do_class(self, i: Instruction, r: Registers) -> None:
        r[i[1]] = attributes.make_class(self, i, r)

    def _do_field(self, i: Instruction, r: Registers) -> None:
        site = attributes.class_being_made(self)
        if site is not None:
            site.info["fields"].append((i[2], i[3]))
            if i[-1][0] in site.info["static_lines"]:
                site.info["statics"].append(i[2])

    def _do_enter(self, i: Instruction, r: Registers) -> None:
        r[i[1]] = calls.enter_context(self, r.get(i[2], UNKNOWN), i[-1])

    def _do_exit(self, i: Instruction, r: Registers) -> None:
        calls.exit_context(self, r.get(i[2], UNKNOWN), i[-1])

    def _do_import(self, i: Instruction, r: Registers) -> None:
        _, target, module, level, name, span = i
        r[target] = imports.import_name(self, module, level, name, span)

    def _do_importstar(self, i: Instruction, r: Registers) -> None:
        imports.import_all(self, i)

    def _do_call(self, i: Instruction, r: Registers) -> None:
        _, target, callee, args, keywords, span = i
        r[target] = calls.call_instruction(self, callee, args, keywords, span, r)
        branches.note_instance_test(self, target, r.get(callee, UNKNOWN), args, r)

    def _do_return(self, i: Instruction, r: Registers) -> str:
        activation = self.activation
        if activation.loops:
            note_end(self, i[-1])
        value = NONE if i[2] is None else r.get(i[2], UNKNOWN)
        activation.returns.append((value, self.since(activation.base)))
        return STOP

    def _do_caught(self, i: Instruction, r: Registers) -> None:
        return None

    def _do_raise(self, i: Instruction, r: Registers) -> str:
        return STOP

    def _do_break(self, i: Instruction, r: Registers) -> str | None:
        if self.activation.loops:
            loop = self.activation.loops[-1]
            loop.breaks.append(self.since(loop.base))
            note_end(self, i[-1])
        return STOP

    def _do_continue(self, i: Instruction, r: Registers) -> str | None:
        if self.activation.loops:
            loop = self.activation.loops[-1]
            loop.continues.append(self.since(loop.base))
        return STOP

    def _do_yield(self, i: Instruction, r: Registers) -> None:
        value = NONE if i[2] is None else r.get(i[2], UNKNOWN)
        self.activation.yields.append(without_rest(value, self.handled) if self.handled else value)
        r[i[1]] = UNKNOWN

    def _do_yieldfrom(self, i: Instruction, r: Registers) -> None:
        element, _, _ = iteration.element(self, r.get(i[2], UNKNOWN), None)
        self.activation.yields.append(element)
        r[i[1]] = UNKNOWN

    def _do_await(self, i: Instruction, r: Registers) -> None:
        r[i[1]] = r.get(i[2], UNKNOWN)

    def _do_discard(self, i: Instruction, r: Registers) -> None:
        discards.note_discard(self, r.get(i[2], UNKNOWN), i[-1])

    def _do_annotated(self, i: Instruction, r: Registers) -> None:
        return None

    def _do_assert(self, i: Instruction, r: Registers) -> None:
        check_test(self, r.get(i[2], UNKNOWN), i[2], "assert", i[-1])

    def _do_if(self, i: Instruction, r: Registers) -> str | None:
        return branches.branch(self, i, r)

    def _do_try(self, i: Instruction, r: Registers) -> str | None:
        return branches.attempt(self, i)

    def _do_for(self, i: Instruction, r: Registers) -> None:
        loops.run_for(self, i, r)

    def _do_while(self, i: Instruction, r: Registers) -> None:
        loops.run_while(self, i, r)
