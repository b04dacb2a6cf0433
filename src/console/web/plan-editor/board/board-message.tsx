import type { PlanBoardState } from './use-plan-board.js';

/**
 * Announces the last action on the board to screen readers. An open dialog announces the actions itself, because
 * everything outside it is hidden from screen readers.
 */
export function BoardMessage({ board, isShown = true }: { board: PlanBoardState; isShown?: boolean }) {
  return (
    <p class="visually-hidden" role="status">
      {isShown && board.message}
    </p>
  );
}
