/** Puts the local time beside the times of a page, which are in UTC, unless they are the same. */

const isUtc = new Date().getTimezoneOffset() === 0;
const format = new Intl.DateTimeFormat('en', {
  ...{ month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' },
  ...{ hourCycle: 'h23', timeZoneName: 'short' },
});

for (const time of isUtc ? [] : document.querySelectorAll('time')) {
  const local = document.createElement('small');
  local.className = 'local';
  local.append(format.format(new Date(time.dateTime)));
  time.after(' ', local);
}
