import type { Follower } from './follow.ts';

/** The part of a document that says whether its tab is shown. */
interface Page {
  readonly visibilityState: 'hidden' | 'visible';
  addEventListener(type: 'visibilitychange', listener: () => void): void;
}

/**
 * Follows only while the page is shown. A browser opens at most six connections to a server over HTTP/1.1, across all
 * tabs: hidden tabs that kept theirs would leave none for the pages of the console. A page that its reader has paused
 * stays paused.
 */
export function followWhileShown(
  follower: Pick<Follower, 'isFollowing' | 'start' | 'pause'>,
  page: Page,
): void {
  let isWanted = true;
  const adapt = () => {
    if (page.visibilityState === 'visible') {
      if (isWanted) follower.start();
      isWanted = false;
    } else if (follower.isFollowing) {
      follower.pause();
      isWanted = true;
    }
  };
  page.addEventListener('visibilitychange', adapt);
  adapt();
}
