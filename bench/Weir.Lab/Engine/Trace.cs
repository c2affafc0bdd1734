namespace Weir.Lab.Engine;

internal static class Trace
{
    private static readonly string? File = Environment.GetEnvironmentVariable("LAB_TRACE");
    private static readonly Lock Gate = new();
    public static long Now() => System.Diagnostics.Stopwatch.GetTimestamp();
    public static void Note(string @case, string contender, string step, long t0)
    {
        if (File is null)
            return;
        lock (Gate)
            System.IO.File.AppendAllText(File, FormattableString.Invariant($"{@case}\t{contender}\t{step}\t{System.Diagnostics.Stopwatch.GetElapsedTime(t0).TotalSeconds:0.000}\n"));
    }
}
