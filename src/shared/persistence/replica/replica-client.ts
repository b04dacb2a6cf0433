import { findRequiredPosition } from '../driver/deferred-statement.js';
import { PipelinedClient } from '../driver/pipelined-client.js';
import {
  REPLICA_STATE_STATEMENT,
  UnusableReplicaError,
  toReplicaLogPosition,
  type ReplicaStateRow,
} from './replica-server.js';

/**
 * A connection to the replica. Before each transaction, it also queries the position that the replica has reached, in
 * the same message, so that this costs no extra round trip. The transaction takes its snapshot afterwards and therefore
 * sees at least this position. If the position is too old, the first awaited statement of the transaction rejects.
 */
export class ReplicaClient extends PipelinedClient {
  protected override sendSession(text: string, values: unknown): Promise<unknown> {
    const required = findRequiredPosition(values);
    if (required === undefined) return Promise.reject(new Error('A transaction on the replica requires a position.'));
    this.sendChecked(REPLICA_STATE_STATEMENT, (result) => {
      const [row] = (result as { rows: ReplicaStateRow[] }).rows;
      if (!toReplicaLogPosition(row!).covers(required)) throw new UnusableReplicaError('behind');
    });
    return super.sendSession(text, values);
  }
}
