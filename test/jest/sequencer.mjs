/** Runs whole systems first, then files with servers, then the rest, so that no worker is left with a long file at the end. */
import Sequencer from '@jest/test-sequencer';

const ORDER = ['system', 'servers', 'unit'];

const rankOf = ({ context }) => ORDER.indexOf(context.config.displayName.name);

export default class LongestFirst extends Sequencer {
  sort(tests) {
    // Jest itself knows how long a file took only after it has run once on this machine.
    return super.sort(tests).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
