// Plays every case of the broker's contract on the broker in memory, and prints the name of each that does not hold.
import { MemoryBroker, TimerWheel } from '@msg/engine';
import { BROKER_CONTRACT, RecordedEvents } from '@msg/engine/testing';
import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';

for (const { name, holds } of BROKER_CONTRACT) {
  const clock = new ManualClock();
  const broker = new MemoryBroker({ clock, random: systemRandom, wheel: new TimerWheel(clock) });
  const events = new RecordedEvents();
  await broker.start(events);
  try {
    await holds({ broker, events, advance: (ms: number) => clock.advance(ms) });
  } catch {
    console.log(name);
  }
  await broker.stop();
}
