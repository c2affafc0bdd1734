using System.Globalization;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.Limits;

/// <summary>Which process the kernel kills first when the machine runs out of memory.</summary>
internal static class OomScoreAdjuster
{
    /// <summary>The host's own value.</summary>
    public static int OfThisProcess => Read("/proc/self/oom_score_adj") ?? 0;

    /// <summary>Sets it and reads it back.</summary>
    /// <exception cref="LaunchException">It could not be applied.</exception>
    public static void Apply(int pid, int score)
    {
        var file = string.Create(CultureInfo.InvariantCulture, $"/proc/{pid}/oom_score_adj");
        if (KernelFile.Write(file, score.ToString(CultureInfo.InvariantCulture)) is { } refusal)
        {
            throw Refused(score, refusal);
        }

        if (Read(file) is var held && held != score)
        {
            throw Refused(score, $"it reads back as {held}");
        }
    }

    private static int? Read(string file) => KernelFile.Read(file) is { } text ? int.Parse(text, CultureInfo.InvariantCulture) : null;

    private static LaunchException Refused(int score, string why) => new(
        WeirCodes.LimitNotApplied,
        $"OomScoreAdjustment (oom_score_adj {score}) could not be applied: {why}. Set it to 0 to keep the host's own value.");
}
