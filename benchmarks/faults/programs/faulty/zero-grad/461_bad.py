"""Gradient-based sizing of a small aircraft cabin and battery pack."""
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import optax


@dataclass(frozen=True)
class CellSpec:
    energy_wh: float = 12.0
    mass_kg: float = 0.068
    voltage: float = 3.6


@dataclass(frozen=True)
class Mission:
    range_km: float = 180.0
    payload_kg: float = 260.0
    empty_kg: float = 520.0
    lift_to_drag: float = 14.0


def cells_in_module(energy_kwh, cell: CellSpec):
    count = energy_kwh * 1000.0 / cell.energy_wh
    return jnp.ceil(count)


def battery_mass(energy_kwh, cell):
    return cells_in_module(energy_kwh, cell) * cell.mass_kg * 1.15


def energy_needed(mass, mission):
    return mass * 9.81 * mission.range_km / 3600.0 / mission.lift_to_drag / 0.85


def objective(design, mission, cell):
    m_batt = battery_mass(design["energy_kwh"], cell)
    mass = mission.empty_kg + mission.payload_kg + m_batt + 22.0 * design["wing_area"]
    drag_pen = 900.0 / design["wing_area"]
    shortfall = energy_needed(mass + drag_pen, mission) - design["energy_kwh"]
    return (m_batt + drag_pen) / 100.0 + 5.0 * jax.nn.softplus(shortfall) ** 2


def optimise(mission, cell, steps=60):
    opt = optax.adam(0.2)
    design = {"energy_kwh": jnp.array(60.0), "wing_area": jnp.array(14.0)}
    opt_state = opt.init(design)

    @jax.jit
    def step(design, opt_state):
        value, grads = jax.value_and_grad(objective)(design, mission, cell)
        updates, opt_state = opt.update(grads, opt_state, design)
        return optax.apply_updates(design, updates), opt_state, value, grads

    for _ in range(steps):
        design, opt_state, value, grads = step(design, opt_state)
    return design, value, grads


if __name__ == "__main__":
    mission, cell = Mission(), CellSpec()
    d = {"energy_kwh": jnp.array(60.0), "wing_area": jnp.array(14.0)}
    print("d mass / d energy:", jax.grad(lambda e: battery_mass(e, cell))(60.0))
    design, value, grads = optimise(mission, cell)
    print({k: float(v) for k, v in design.items()}, float(value))
