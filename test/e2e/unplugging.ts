/**
 * Code for a page, before anything is captured: it has two cameras, `first` and `second`. `unplugCamera()`
 * takes away the one that is used, as pulling its plug does, and gives its id; `plugIn()` brings all back.
 * Chromium's own test camera, which both are, cannot be pulled. Who may not use cameras sees no ids.
 */
export const UNPLUGGING = `
  const { mediaDevices } = navigator;
  const [list, ask] = [mediaDevices.enumerateDevices.bind(mediaDevices), mediaDevices.getUserMedia.bind(mediaDevices)];
  const cameras = ['first', 'second'];
  let plugged = cameras;
  let used;
  mediaDevices.enumerateDevices = async () => (await list()).flatMap(({ kind, groupId, label, deviceId }) => (kind === 'videoinput' && deviceId ? plugged : [deviceId]).map((id) => ({ kind, groupId, label, deviceId: id })));
  mediaDevices.getUserMedia = async (asked) => {
    const [deviceId] = plugged;
    if (asked.video && !deviceId) throw new DOMException('Requested device not found', 'NotFoundError');
    const stream = await ask({ ...asked, ...(asked.video && { video: true }) });
    if (!asked.video) return stream;
    [used] = stream.getVideoTracks();
    const settings = used.getSettings();
    used.getSettings = () => ({ ...settings, deviceId });
    return stream;
  };
  window.unplugCamera = () => {
    const { deviceId } = used.getSettings();
    plugged = plugged.filter((id) => id !== deviceId);
    used.stop();
    used.dispatchEvent(new Event('ended'));
    mediaDevices.dispatchEvent(new Event('devicechange'));
    return deviceId;
  };
  window.plugIn = () => {
    plugged = cameras;
    mediaDevices.dispatchEvent(new Event('devicechange'));
  };
`
