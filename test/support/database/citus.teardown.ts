import type { CitusCluster } from './citus.js';

export default function teardown(): void {
  (globalThis as unknown as { citusCluster: CitusCluster }).citusCluster.stop();
}
