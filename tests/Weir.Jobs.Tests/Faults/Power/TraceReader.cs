using System.Globalization;
using System.Text;

namespace Weir.Jobs.Tests.Faults.Power;

/// <summary>
/// Reads what <c>strace -f -y -xx</c> wrote: one line for a call, or two where another thread called in between. A write counts from its beginning, because a part of it may be on the disk before
/// it returns; a sync counts from its return.
/// </summary>
/// <param name="directory">Of the store. Calls for other files are left out.</param>
/// <param name="store">The name of the store's file in it.</param>
internal sealed class TraceReader(string directory, string store)
{
    private const string Elsewhere = "/";

    private readonly HashSet<string> _names = [store, store + "-wal", store + "-journal"];

    // The files that have a name. Three at most.
    private readonly HashSet<string> _there = [];

    // A call of each thread that has not returned, and how many events came before it.
    private readonly Dictionary<string, (string Line, int Began)> _open = [];

    /// <summary>What all processes did, one after the other.</summary>
    public List<DiskEvent> Events { get; } = [];

    /// <summary>Reads the trace of the next process, which has ended.</summary>
    public void Read(string trace)
    {
        _open.Clear();
        foreach (var line in System.IO.File.ReadLines(trace))
        {
            ReadLine(line);
        }
    }

    /// <summary>What came from this event on did not happen.</summary>
    public void Forget(int from)
    {
        Events.RemoveRange(from, Events.Count - from);
        _there.Clear();
        _there.UnionWith(Events.Where(static one => one.Call == DiskCall.Create).Select(static one => one.Name).Where(name => Events.FindLast(one => one.Name == name && (one.Call is DiskCall.Create or DiskCall.Unlink))!.Call == DiskCall.Create));
    }

    private void ReadLine(string line)
    {
        const string Unfinished = " <unfinished ...>";
        var space = line.IndexOf(' ', StringComparison.Ordinal);
        var (thread, call) = (line[..space], line[space..].TrimStart());
        if (call.EndsWith(Unfinished, StringComparison.Ordinal))
        {
            call = call[..^Unfinished.Length];
            _open[thread] = (call, Events.Count);
            Begin(call);
        }
        else if (call.StartsWith("<... ", StringComparison.Ordinal))
        {
            if (_open.Remove(thread, out var open))
            {
                End(open.Line + call[(call.IndexOf('>', StringComparison.Ordinal) + 1)..], open.Began);
            }
        }
        else
        {
            var began = Events.Count;
            Begin(call);
            End(call, began);
        }
    }

    private void Begin(string call)
    {
        var (name, rest) = Target(call);
        if (call.StartsWith("pwrite64(", StringComparison.Ordinal))
        {
            if (IsStore(name))
            {
                var (bytes, numbers) = Text(rest);
                Events.Add(new DiskEvent(DiskCall.Write, name) { Offset = Last(numbers), Bytes = bytes });
            }
            else if (name.StartsWith("answers-", StringComparison.Ordinal) || name.StartsWith("oracle-", StringComparison.Ordinal))
            {
                Events.Add(new DiskEvent(DiskCall.Said, name) { Words = Encoding.UTF8.GetString(Text(rest).Bytes).TrimEnd('\n').Split(' ') });
            }
        }
        else if (call.StartsWith("ftruncate(", StringComparison.Ordinal) && IsStore(name))
        {
            Events.Add(new DiskEvent(DiskCall.Truncate, name) { Offset = Last(rest) });
        }
        else if (IsStore(name) && (call.StartsWith("write(", StringComparison.Ordinal) || call.StartsWith("pwritev", StringComparison.Ordinal)))
        {
            throw new InvalidOperationException($"This way to write '{name}' is not known here: {call[..40]}.");
        }
    }

    private void End(string call, int began)
    {
        // "= 0", "= 4096", "= 124</a/path>"; "= -1 ENOENT (…)" and "= ?" are no calls that returned.
        var result = call.LastIndexOf(" = ", StringComparison.Ordinal);
        if (result < 0 || !char.IsAsciiDigit(call[result + 3]))
        {
            return;
        }

        if (call.StartsWith("fsync(", StringComparison.Ordinal) || call.StartsWith("fdatasync(", StringComparison.Ordinal))
        {
            var (name, _) = Target(call);
            if (name.Length == 0)
            {
                Events.Add(new DiskEvent(DiskCall.SyncDirectory, "") { Covers = began });
            }
            else if (IsStore(name))
            {
                Events.Add(new DiskEvent(DiskCall.Sync, name) { Covers = began });
            }
        }
        else if (call.StartsWith("openat(", StringComparison.Ordinal) && call.Contains("O_CREAT", StringComparison.Ordinal))
        {
            var name = Name(Text(call[call.IndexOf('"', StringComparison.Ordinal)..]).Bytes);
            if (IsStore(name) && _there.Add(name))
            {
                Events.Add(new DiskEvent(DiskCall.Create, name));
            }
        }
        else if (call.StartsWith("unlink", StringComparison.Ordinal))
        {
            var name = Name(Text(call[call.IndexOf('"', StringComparison.Ordinal)..]).Bytes);
            if (IsStore(name) && _there.Remove(name))
            {
                Events.Add(new DiskEvent(DiskCall.Unlink, name));
            }
        }
    }

    private bool IsStore(string name) => _names.Contains(name);

    // Of "call(12<\x2f\x74>, …": the name in the directory, empty for the directory itself, and what follows. A file that was deleted has none.
    private (string Name, string After) Target(string call)
    {
        var (from, to) = (call.IndexOf('<', StringComparison.Ordinal), call.IndexOf('>', StringComparison.Ordinal));
        return from < 0 || to < from || call.IndexOf('(', StringComparison.Ordinal) > from || call.AsSpan(to + 1).StartsWith("(deleted)", StringComparison.Ordinal)
            ? (Elsewhere, "")
            : (Name(Decode(call.AsSpan(from + 1, to - from - 1))), call[(to + 1)..]);
    }

    private string Name(byte[] path)
    {
        var text = Encoding.UTF8.GetString(path);
        return text == directory ? "" : text.StartsWith(directory + "/", StringComparison.Ordinal) ? text[(directory.Length + 1)..] : Elsewhere;
    }

    // The first text in quotation marks, and what follows.
    private static (byte[] Bytes, string After) Text(string call)
    {
        var from = call.IndexOf('"', StringComparison.Ordinal) + 1;
        var to = call.IndexOf('"', from);
        return call.AsSpan(to + 1).StartsWith("...", StringComparison.Ordinal)
            ? throw new InvalidOperationException("The trace does not have all bytes.")
            : (Decode(call.AsSpan(from, to - from)), call[(to + 1)..]);
    }

    // Of ", 4096, 53248) = 4096": 53248.
    private static long Last(string arguments)
    {
        var end = arguments.IndexOf(')', StringComparison.Ordinal);
        var list = end < 0 ? arguments : arguments[..end];
        return long.Parse(list.AsSpan(list.LastIndexOf(',') + 1), NumberStyles.AllowLeadingWhite, CultureInfo.InvariantCulture);
    }

    private static byte[] Decode(ReadOnlySpan<char> text)
    {
        var bytes = new byte[text.Length / 4];
        for (var index = 0; index < bytes.Length; index++)
        {
            bytes[index] = (byte)((Value(text[(index * 4) + 2]) << 4) | Value(text[(index * 4) + 3]));
        }

        return bytes;
    }

    private static int Value(char digit) => digit <= '9' ? digit - '0' : digit - 'a' + 10;
}
