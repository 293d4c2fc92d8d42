const isUtc = new Date().getTimezoneOffset() === 0;
const format = new Intl.DateTimeFormat('en', {
  ...{ month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' },
  ...{ hourCycle: 'h23', timeZoneName: 'short' },
});

/** Puts the local time beside the times of a part of a page, which are in UTC, unless they are the same. */
export function showLocalTimes(part: ParentNode): void {
  for (const time of isUtc ? [] : part.querySelectorAll('time')) {
    const local = document.createElement('small');
    local.className = 'local';
    local.append(format.format(new Date(time.dateTime)));
    time.after(' ', local);
  }
}
