using System.Globalization;
using System.Text;
using Weir.Cli.Terminal;

namespace Weir.Cli.Fetch;

/// <summary>
/// Which URLs are done: a line of text for each, with its position in the list and a hash of the URL, so that another list is recognized. A last line that was
/// cut does not count. Any thread.
/// </summary>
internal sealed class Journal : IDisposable
{
    private const string Head = "weir-journal 1\n";

    // Small: positions far apart take a page each, and a journal comes from a file that may be damaged.
    private const int PageSize = 16;

    // A position, a blank and a hash.
    private const int MostLine = 19 + 1 + 16;
    private const int BlockSize = 65_536;

    private readonly Lock _gate = new();
    private readonly string _name;
    private readonly FileStream _file;

    // Under _gate. A page has the hashes of neighbouring positions, and 0 for one that is not done.
    private readonly Dictionary<long, ulong[]> _pages = [];
    private readonly StringBuilder _unwritten = new();

    private Journal(string name, FileStream file)
    {
        _name = name;
        _file = file;
    }

    /// <summary>The lines that it had when it was opened.</summary>
    public long Found { get; private set; }

    /// <summary>Opens one, or begins it where there is none.</summary>
    /// <param name="name">As it was given.</param>
    /// <param name="path">Its path.</param>
    /// <exception cref="InputException">It cannot be opened, another process uses it, or it is no journal.</exception>
    public static Journal Open(string name, string path)
    {
        if (SpecialFiles.KindOf(path) is { } kind)
        {
            throw new InputException($"--resume '{name}' cannot be used: it is {kind}; name a file, or one that does not exist.");
        }

        FileStream? file = null;
        try
        {
            file = new FileStream(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.Read);
            var journal = new Journal(name, file);
            journal.Load();
            return journal;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            file?.Dispose();
            throw new InputException($"--resume '{name}' cannot be used: {failure.Message}", failure);
        }
        catch
        {
            file?.Dispose();
            throw;
        }
    }

    /// <summary>One that is deleted at its end, unless it is saved.</summary>
    public static Journal Temporary()
    {
        var journal = new Journal("", new FileStream(Path.Combine(Path.GetTempPath(), $"weir-{Guid.NewGuid():N}.journal"), FileMode.CreateNew, FileAccess.ReadWrite, FileShare.Read, 4096, FileOptions.DeleteOnClose));
        journal._unwritten.Append(Head);
        return journal;
    }

    /// <summary>Whether a URL was done when the journal was opened.</summary>
    /// <exception cref="InputException">The journal has another URL at this position.</exception>
    public bool Contains(in Address address)
    {
        var page = _pages.GetValueOrDefault(address.Index / PageSize);
        var hash = page?[address.Index % PageSize] ?? 0;
        return hash != 0 && (hash == HashOf(address.Text) ? true
            : throw new InputException(FormattableString.Invariant($"--resume '{_name}' belongs to another list: its URL {address.Index} is not '{address.Text}'. Give the list it was begun with, or another journal.")));
    }

    /// <summary>A URL is done.</summary>
    public void Add(long index, string text)
    {
        var hash = HashOf(text);
        lock (_gate)
        {
            _unwritten.Append(CultureInfo.InvariantCulture, $"{index} {hash:x16}\n");
        }
    }

    /// <summary>Writes what was added.</summary>
    public void Flush()
    {
        lock (_gate)
        {
            if (_unwritten.Length > 0)
            {
                _file.Write(Encoding.ASCII.GetBytes(_unwritten.ToString()));
                _file.Flush();
                _unwritten.Clear();
            }
        }
    }

    /// <summary>Writes all of it to another file.</summary>
    /// <exception cref="IOException">That cannot be written.</exception>
    /// <exception cref="UnauthorizedAccessException">That must not be written.</exception>
    public void SaveAs(string path)
    {
        Flush();
        lock (_gate)
        {
            using var copy = new FileStream(path, FileMode.CreateNew, FileAccess.Write);
            _file.Position = 0;
            _file.CopyTo(copy);
        }
    }

    public void Dispose()
    {
        Flush();
        _file.Dispose();
    }

    // FNV-1a. 0 means that there is none. It recognizes another list, not one that was made to be taken for this one.
    private static ulong HashOf(string text)
    {
        var hash = 14_695_981_039_346_656_037UL;
        foreach (var letter in text)
        {
            hash = unchecked((hash ^ letter) * 1_099_511_628_211UL);
        }

        return Math.Max(1, hash);
    }

    private void Load()
    {
        var head = new byte[Head.Length];
        var headLength = _file.ReadAtLeast(head, head.Length, throwOnEndOfStream: false);
        if (!Head.AsSpan(0, headLength).SequenceEqual(Encoding.ASCII.GetString(head, 0, headLength)))
        {
            throw new InputException($"--resume '{_name}' is no journal of weir fetch: it does not begin with '{Head.TrimEnd()}'. Name another file; one that does not exist is begun.");
        }

        if (headLength < Head.Length)
        {
            // Empty, or cut in its first line.
            _file.SetLength(0);
            _unwritten.Append(Head);
            Flush();
            return;
        }

        // What follows the last end of a line was cut.
        _file.SetLength(EndOfLastLine());
        LoadLines();
    }

    // A line that was cut in the middle, and what a file system leaves of a block that it did not write: zeros.
    private long EndOfLastLine()
    {
        var block = new byte[BlockSize];
        var cut = 0L;
        for (var end = _file.Length; ; end -= block.Length)
        {
            var length = (int)Math.Min(end, block.Length);
            _file.Position = end - length;
            _file.ReadExactly(block, 0, length);
            var tail = block.AsSpan(0, length);
            var lineEnd = tail.LastIndexOf((byte)'\n');
            tail = tail[(lineEnd + 1)..];
            cut += tail.Length - tail.Count((byte)0);
            if (cut > MostLine)
            {
                throw new InputException($"--resume '{_name}' is damaged: what follows its last complete line is no line that was cut. Remove it: its URLs are fetched again.");
            }

            // The head ends with one.
            if (lineEnd >= 0)
            {
                return end - length + lineEnd + 1;
            }
        }
    }

    private void LoadLines()
    {
        _file.Position = Head.Length;
        var block = new byte[BlockSize];
        var kept = 0;
        while (_file.Read(block, kept, block.Length - kept) is > 0 and var count)
        {
            var lines = block.AsSpan(0, kept + count);
            while (lines.IndexOf((byte)'\n') is >= 0 and var end)
            {
                LoadLine(lines[..end]);
                lines = lines[(end + 1)..];
            }

            if (lines.Length > MostLine)
            {
                LoadLine(lines);
            }

            kept = lines.Length;
            lines.CopyTo(block);
        }

        _file.Position = _file.Length;
    }

    private void LoadLine(ReadOnlySpan<byte> line)
    {
        Found++;
        var split = line.IndexOf((byte)' ');
        if (split < 0
            || !long.TryParse(line[..split], NumberStyles.None, CultureInfo.InvariantCulture, out var index)
            || line.Length != split + 17
            || !ulong.TryParse(line[(split + 1)..], NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var hash)
            || hash == 0
            || !TryKeep(index, hash))
        {
            throw new InputException(FormattableString.Invariant($"--resume '{_name}' is damaged in line {Found + 1}: '{Encoding.Latin1.GetString(line[..Math.Min(line.Length, 40)])}'. Remove that line: its URL is fetched again."));
        }
    }

    private bool TryKeep(long index, ulong hash)
    {
        if (!_pages.TryGetValue(index / PageSize, out var page))
        {
            _pages.Add(index / PageSize, page = new ulong[PageSize]);
        }

        ref var known = ref page[index % PageSize];
        var fits = known == 0 || known == hash;
        known = hash;
        return fits;
    }
}
