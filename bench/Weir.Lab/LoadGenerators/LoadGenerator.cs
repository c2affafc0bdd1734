using System.ComponentModel;
using System.Diagnostics;
using Weir.Lab.Engine;

namespace Weir.Lab.LoadGenerators;

/// <summary>A program that sends load and prints what it measured.</summary>
internal abstract class LoadGenerator
{
    public const string Rate = "requests/s";
    public const string P50 = "p50";
    public const string P99 = "p99";
    public const string Max = "max";

    /// <summary>What must be installed for it.</summary>
    public virtual Availability Needs => Availability.Present;

    /// <summary>Runs it once. Its process is killed when the caller cancels.</summary>
    /// <exception cref="InvalidDataException">It failed, requests of it failed, or its output is not as expected.</exception>
    public async Task<Round> RunAsync(LoadWork work, CancellationToken cancellation)
    {
        var (file, arguments) = Command(work);
        using var process = Start(file, arguments);
        try
        {
            // Both at the same time: a full pipe would stop it.
            var errors = process.StandardError.ReadToEndAsync(cancellation);
            var output = await process.StandardOutput.ReadToEndAsync(cancellation);
            await process.WaitForExitAsync(cancellation);
            return process.ExitCode == 0
                ? Read(output)
                : throw new InvalidDataException($"{file} {string.Join(' ', arguments)} ended with code {process.ExitCode}: {(output + await errors).Trim()}");
        }
        finally
        {
            if (!process.HasExited)
                process.Kill(entireProcessTree: true);
        }
    }

    /// <summary>The round that an output describes: times in milliseconds, as the tool itself calls them.</summary>
    public abstract Round Read(string output);

    protected abstract (string File, IReadOnlyList<string> Arguments) Command(LoadWork work);

    /// <summary>A rate and the times that every tool prints.</summary>
    protected static Round Figures(double rate, double p50, double p99, double max) => new Round()
        .Add(Rate, rate, "1/s")
        .Add(P50, p50, "ms")
        .Add(P99, p99, "ms")
        .Add(Max, max, "ms");

    private static Process Start(string file, IReadOnlyList<string> arguments)
    {
        try
        {
            return Process.Start(new ProcessStartInfo(file, arguments) { RedirectStandardOutput = true, RedirectStandardError = true })!;
        }
        catch (Win32Exception failure)
        {
            throw new InvalidDataException($"{file} cannot be started: {failure.Message}", failure);
        }
    }
}
