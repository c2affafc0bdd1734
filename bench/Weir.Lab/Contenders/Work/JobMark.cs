using System.Globalization;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.Work;

/// <summary>What the code of a job has written down: that it began, or that it ended, in a file of its process. The only source of what ran, for every library.</summary>
/// <param name="IsStart">It began.</param>
/// <param name="What">Whose it is, or which kind: one word.</param>
/// <param name="Number">Which job, by the number that its submitter gave it.</param>
/// <param name="Stamp">When, by the clock of the machine.</param>
internal readonly record struct JobMark(bool IsStart, string What, long Number, long Stamp)
{
    private const string Files = "worker-*";
    private const string Start = "b";
    private const string End = "e";

    // A variable, because workers have no other configuration. Absent: nothing is written.
    private static readonly string? Folder = Environment.GetEnvironmentVariable(Witness.FolderVariable);

    /// <summary>A job's code that takes a fixed time.</summary>
    public static async Task RunAsync(string what, long number, TimeSpan time)
    {
        Write(Start, what, number);
        await Task.Delay(time);
        Write(End, what, number);
    }

    /// <summary>The same, and where it is cancelled it takes another moment to end.</summary>
    public static async Task RunAsync(string what, long number, TimeSpan time, TimeSpan cleanUp, CancellationToken cancellation)
    {
        Write(Start, what, number);
        try
        {
            await Task.Delay(time, cancellation);
        }
        finally
        {
            if (cancellation.IsCancellationRequested)
                await Task.Delay(cleanUp, CancellationToken.None);
            Write(End, what, number);
        }
    }

    /// <summary>All marks in a folder, in no order; a line that a killed process has not completed is none.</summary>
    public static IEnumerable<JobMark> Read(string folder) => Directory.GetFiles(folder, Files).SelectMany(ReadLines).Select(Parse).OfType<JobMark>();

    /// <summary>The mark that a line is, or <c>null</c>.</summary>
    public static JobMark? Parse(string line) =>
        line.Split(' ') is [Start or End, var what, var number, var stamp]
        && long.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out var job) && long.TryParse(stamp, NumberStyles.None, CultureInfo.InvariantCulture, out var at)
            ? new JobMark(line.StartsWith(Start, StringComparison.Ordinal), what, job, at)
            : null;

    // Processes append while this reads.
    private static IEnumerable<string> ReadLines(string path)
    {
        using var reader = new StreamReader(new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite));
        while (reader.ReadLine() is { } line)
            yield return line;
    }

    private static void Write(string sort, string what, long number)
    {
        if (Folder is not null)
            Witness.Append(Folder, string.Create(CultureInfo.InvariantCulture, $"{sort} {what} {number} {Clock.Now}"));
    }
}
