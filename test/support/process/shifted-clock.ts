/*
 * Shifts the system clock of a process by CLOCK_SHIFT_MS. It is loaded before the service with `node --import`. Each
 * SIGUSR2 switches the shift off or on again.
 */

const shift = Number(process.env['CLOCK_SHIFT_MS']);
let isWrong = true;
process.on('SIGUSR2', () => (isWrong = !isWrong));
const current = () => (isWrong ? shift : 0);

const RealDate = Date;
const { instant } = Temporal.Now;
const shifted = () => RealDate.now() + current();

globalThis.Date = new Proxy(RealDate, {
  construct: (target, values: unknown[], newTarget) =>
    Reflect.construct(target, values.length === 0 ? [shifted()] : values, newTarget) as object,
  apply: (target) => new target(shifted()).toString(),
  get: (target, key, receiver): unknown => (key === 'now' ? shifted : Reflect.get(target, key, receiver)),
});
Temporal.Now.instant = () => instant().add({ milliseconds: current() });
