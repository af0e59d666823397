"""The limit of time ends an episode as if the task did."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.paths import is_test
from gotcha_lint.patterns.training.episode_ends import joined_ends
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class TimeoutAsTerminal(Rule):
    """Remembers `terminated or truncated` as one flag, which then cuts the value of what follows.

    ## What happens
    The target `reward + discount * (1 - done) * value` takes the value of the next state as 0 where
    the flag is set. After a true end that is right. After a limit of time the episode was cut
    somewhere on its way: states that are as good as any get a target without a future, now and
    then, and the same state has two targets. The value learns a mixture of both. Nothing fails, and
    with a short limit most episodes end so.

    ## Instead
    Remember both flags. `1 - terminated` belongs into the target, with the value of the last
    observation of the episode (`info["final_obs"]` where the environment resets by itself);
    `terminated | truncated` says where the episode ends, for sums along it and for recurrent
    states.

    ## Not reported
    Code that remembers one of the two flags besides, asks for the truncation, or knows the final
    observation; environments that give one flag.

    ## In a run
    Nothing.

    ## References
    https://gymnasium.farama.org/tutorials/gymnasium_basics/handling_time_limits/
    """

    severity = "info"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp


                class Endless:
                    def step(self, action):
                        self.time = getattr(self, "time", 0) + 1
                        return 0.0, 1.0, False, self.time % 4 == 0, {}


                def collect(env, steps):
                    rewards, ends = [], []
                    for _ in range(steps):
                        _, reward, terminated, truncated, _ = env.step(0)
                        done = terminated or truncated  # ! timeout-as-terminal
                        rewards.append(reward)
                        ends.append(done)
                    return jnp.array(rewards), jnp.array(ends)


                rewards, ends = collect(Endless(), 8)
                targets = rewards + 0.9 * (1 - ends) * 10.0  # each state is worth 10
            """,
            good="""
                import jax.numpy as jnp


                class Endless:
                    def step(self, action):
                        self.time = getattr(self, "time", 0) + 1
                        return 0.0, 1.0, False, self.time % 4 == 0, {}


                def collect(env, steps):
                    rewards, ends = [], []
                    for _ in range(steps):
                        _, reward, terminated, truncated, _ = env.step(0)
                        rewards.append(reward)
                        ends.append(terminated)
                    return jnp.array(rewards), jnp.array(ends)


                rewards, ends = collect(Endless(), 8)
                targets = rewards + 0.9 * (1 - ends) * 10.0  # each state is worth 10
            """,
            shows="float(targets.min()) < 10.0",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            if is_test(text.module.path):
                continue
            for function in text.origins.links.bodies(text.module):
                found = joined_ends(text.origins.links, function)
                if found is not None:
                    path = function.path
                    yield Foreseen(
                        (path, found.span),
                        "the limit of time is remembered as an end of the task: a target that this "
                        "masks leaves out the value of what would follow; keep both flags",
                        (
                            (path, found.stepped, "both flags come from here"),
                            (path, found.kept, "remembered here"),
                        ),
                    )
