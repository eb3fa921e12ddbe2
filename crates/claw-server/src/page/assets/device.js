// A login link for another device.
import { announce, at, call, make } from './common.js';

/** The button that makes a link, and the place that shows it. */
export function device(trouble) {
  at('device').addEventListener('click', async () => {
    try {
      show(at('login'), await call('POST', '/api/logins'));
      announce('A login link is there.');
      trouble(null);
    } catch (error) {
      trouble(error);
    }
  });
}

function show(place, { path, urls }) {
  const shown = urls.map(({ url, qr }) => {
    const link = make('figure', {});
    if (qr) {
      const code = make('img', { alt: 'The link as a QR code', src: `data:image/svg+xml,${encodeURIComponent(qr)}` });
      link.append(code);
    }
    link.append(make('figcaption', {}, make('code', { textContent: url })));
    return link;
  });
  const text = urls.length
    ? 'Scan or open this on the other device. It works once, for a quarter of an hour.'
    : 'Only this machine reaches this server: start claw serve with --phone for the devices in this network. Another browser here opens: ';
  const about = make('p', { className: 'note', textContent: text });
  // The page with the steps has no TLS, and only servers of a local network have it.
  if (urls.length && location.protocol === 'https:' && /^[\d.]+$|^\[/.test(location.hostname)) {
    about.append(' If its browser warns of the certificate, open this on it first, and follow the steps: ', make('code', { textContent: `http://${location.host}` }));
  }
  if (!urls.length) about.append(make('code', { textContent: location.origin + path }));
  place.replaceChildren(about, ...shown);
  place.hidden = false;
  place.scrollIntoView({ block: 'nearest' });
}
