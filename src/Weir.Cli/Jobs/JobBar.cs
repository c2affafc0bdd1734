using System.Globalization;
using Weir.Cli.Terminal;

namespace Weir.Cli.Jobs;

/// <summary>The line by which a terminal shows how a job proceeds.</summary>
internal static class JobBar
{
    private const int Cells = 20;

    /// <summary>The line, which is never longer than the terminal is wide.</summary>
    /// <param name="job">The job.</param>
    /// <param name="trouble">Why it cannot be asked for at the moment; <c>null</c> where it can.</param>
    /// <param name="waited">How long it has been waited for.</param>
    /// <param name="isUnicode">Whether the terminal shows blocks.</param>
    /// <param name="width">Columns.</param>
    public static string Line(JobView job, string? trouble, TimeSpan waited, bool isUnicode, int width)
    {
        var line = new FittedLine();
        if (job.Percent is { } percent)
        {
            var full = percent * Cells / 100;
            line.Add(2, isUnicode ? new string('█', full) + new string('░', Cells - full) : $"[{new string('#', full)}{new string('-', Cells - full)}]");
            line.Add(1, string.Create(CultureInfo.InvariantCulture, $"{percent,3} %"));
            line.Add(6, job.StateText);
        }
        else
        {
            line.Add(1, job.StateText);
        }

        if (job.Attempt > 1)
        {
            line.Add(7, $"attempt {job.AttemptText}");
        }

        if (job.ProgressText is { Length: > 0 } text)
        {
            line.Add(4, text);
        }

        if (job.ItemsText is { } items)
        {
            line.Add(5, items);
        }

        line.Add(8, Durations.Waiting(waited));
        if (trouble is not null)
        {
            line.Add(3, trouble);
        }

        return SafeText.Of(line.Fit(width), keepsLines: false);
    }
}
