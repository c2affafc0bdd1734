namespace Weir.Jobs.Tests.Faults.Power;

/// <summary>
/// A disk under the files of a store. What was written to a file is on it when that file was synced; which file has a name, when its directory was. Of everything else it may have any part.
/// Names change in order, each on its own: file systems do at least that.
/// </summary>
internal sealed class Disk
{
    // By name, of which there are three. A name that was taken back has no file.
    private readonly Dictionary<string, DiskFile?> _stored = [];
    private readonly Dictionary<string, DiskFile> _current = [];
    private readonly List<(int Number, string Name, DiskFile? File)> _pending = [];
    private int _number;

    /// <summary>Whether something of the file itself, and not only of its log, can be lost.</summary>
    public bool IsCopying(string name) => _current.TryGetValue(name, out var file) && file.Pending > 0;

    /// <summary>The next event happens.</summary>
    public void Apply(DiskEvent happened)
    {
        var number = _number++;
        switch (happened.Call)
        {
            case DiskCall.Create:
                _current.Add(happened.Name, new DiskFile());
                _pending.Add((number, happened.Name, _current[happened.Name]));
                break;
            case DiskCall.Unlink:
                _current.Remove(happened.Name);
                _pending.Add((number, happened.Name, null));
                break;
            case DiskCall.Write or DiskCall.Truncate:
                _current[happened.Name].Add(number, happened);
                break;
            case DiskCall.Sync:
                _current[happened.Name].Sync(happened.Covers);
                break;
            case DiskCall.SyncDirectory:
                foreach (var (_, name, file) in _pending.Where(one => one.Number < happened.Covers))
                {
                    _stored[name] = file;
                }

                _pending.RemoveAll(one => one.Number < happened.Covers);
                break;
        }
    }

    /// <summary>The files, by name, as a power cut may leave them.</summary>
    public Dictionary<string, byte[]> Cut(Loss loss, Random random)
    {
        var names = new Dictionary<string, DiskFile?>(_stored);
        foreach (var name in _pending.GroupBy(static one => one.Name))
        {
            var count = loss switch { Loss.Nothing => name.Count(), Loss.Everything => 0, _ => random.Next(name.Count() + 1) };
            if (count > 0)
            {
                names[name.Key] = name.ElementAt(count - 1).File;
            }
        }

        return names.Where(static one => one.Value is not null).ToDictionary(static one => one.Key, one => one.Value!.Cut(loss, random));
    }
}
