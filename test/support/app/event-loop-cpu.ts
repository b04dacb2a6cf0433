type EventLoopCpu<Result> = {
  result: Result;
  /** CPU time of the thread in the longest iteration of the event loop, in milliseconds. */
  longest: number;
  /** CPU time of the thread during the whole call, in milliseconds. */
  total: number;
};

/** Measures how long a call occupies the event loop, in CPU time, because other load would lengthen elapsed time. */
export async function measureEventLoopCpu<Result>(call: () => Promise<Result>): Promise<EventLoopCpu<Result>> {
  let [longest, total] = [0, 0];
  let last = process.threadCpuUsage();
  const measure = (): void => {
    const { user, system } = process.threadCpuUsage(last);
    last = process.threadCpuUsage();
    const milliseconds = (user + system) / 1_000;
    longest = Math.max(longest, milliseconds);
    total += milliseconds;
  };
  const timer = setInterval(measure, 0);
  const result = await call().finally(() => clearInterval(timer));
  measure();
  return { result, longest, total };
}
