using System.Globalization;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.Work;

/// <summary>What operations have written down of the uploads that they read: which began, which contents they have read to an end, and which uploads as a whole.</summary>
internal sealed class UploadMarks
{
    private const string Files = "worker-*";
    private const string Begun = "b";
    private const string Content = "f";
    private const string Whole = "e";
    private const string Left = "x";

    private readonly HashSet<long> _begun = [];
    private readonly HashSet<long> _left = [];
    private readonly Dictionary<(long Upload, int Index), long> _contents = [];
    private readonly Dictionary<long, int> _whole = [];

    /// <param name="lines">What was written; a line that a killed process has not completed is none.</param>
    public UploadMarks(IEnumerable<string> lines)
    {
        foreach (var line in lines)
        {
            if (line.Split(' ') is not [var what, var upload, .. var rest] || !long.TryParse(upload, NumberStyles.None, CultureInfo.InvariantCulture, out var number))
                continue;

            switch (what, rest)
            {
                case (Begun, []):
                    _begun.Add(number);
                    break;
                case (Left, []):
                    _left.Add(number);
                    break;
                case (Content, [var index, var length]):
                    _contents[(number, int.Parse(index, CultureInfo.InvariantCulture))] = long.Parse(length, CultureInfo.InvariantCulture);
                    break;
                case (Whole, [var count]):
                    _whole[number] = int.Parse(count, CultureInfo.InvariantCulture);
                    break;
            }
        }
    }

    /// <summary>Operations that have begun and have not ended, in any way.</summary>
    public int Running => _begun.Count(upload => !_left.Contains(upload));

    /// <summary>The line of an operation that has begun.</summary>
    public static string BeginOf(long upload) => string.Create(CultureInfo.InvariantCulture, $"{Begun} {upload}");

    /// <summary>The file that is there once an operation has begun: its caller looks for it.</summary>
    public static string BeginFileOf(string folder, long upload) => Path.Combine(folder, string.Create(CultureInfo.InvariantCulture, $"begun-{upload}"));

    /// <summary>Writes down that an operation has begun.</summary>
    public static void Begin(string folder, long upload)
    {
        Witness.Append(folder, BeginOf(upload));
        File.WriteAllBytes(BeginFileOf(folder, upload), []);
    }

    /// <summary>An operation has ended, in any way.</summary>
    public static string LeaveOf(long upload) => string.Create(CultureInfo.InvariantCulture, $"{Left} {upload}");

    /// <summary>One content of an upload was read to its end; a length of -1: its bytes were wrong.</summary>
    public static string EndOf(long upload, int index, long length) => string.Create(CultureInfo.InvariantCulture, $"{Content} {upload} {index} {length}");

    /// <summary>The upload as a whole has ended, with so many contents.</summary>
    public static string EndOfAll(long upload, int count) => string.Create(CultureInfo.InvariantCulture, $"{Whole} {upload} {count}");

    /// <summary>What is in a folder.</summary>
    public static UploadMarks Read(string folder) => new(Directory.GetFiles(folder, Files).SelectMany(ReadLines));

    /// <summary>Whether an operation has begun to read it.</summary>
    public bool HasBegun(long upload) => _begun.Contains(upload);

    /// <summary>Whether an upload that was cut looks complete where it was read: as a whole, or one of its contents with other bytes than were to be sent.</summary>
    /// <param name="upload">Its number.</param>
    /// <param name="lengths">Those of its contents, uncut.</param>
    public bool LooksComplete(long upload, IReadOnlyList<long> lengths) =>
        _whole.ContainsKey(upload) || Enumerable.Range(0, lengths.Count + 1).Any(index =>
            _contents.TryGetValue((upload, index), out var length) && (index == lengths.Count || length != lengths[index]));

    /// <summary>Whether an upload that was not cut has arrived: every content, and the end of all.</summary>
    /// <param name="upload">Its number.</param>
    /// <param name="lengths">Those of its contents.</param>
    public bool IsComplete(long upload, IReadOnlyList<long> lengths) =>
        _whole.GetValueOrDefault(upload, -1) == lengths.Count && lengths.Select((length, index) => _contents.GetValueOrDefault((upload, index), -1) == length).All(static isRight => isRight);

    // Processes append while this reads.
    private static IEnumerable<string> ReadLines(string path)
    {
        using var reader = new StreamReader(new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite));
        while (reader.ReadLine() is { } line)
            yield return line;
    }
}
