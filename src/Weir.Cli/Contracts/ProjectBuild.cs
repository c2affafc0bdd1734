using System.ComponentModel;
using System.Diagnostics;
using Weir.Cli.Terminal;

namespace Weir.Cli.Contracts;

/// <summary>Builds a project by the SDK, without comparing its contract with the accepted one.</summary>
internal static class ProjectBuild
{
    /// <summary>Builds it. The errors of the build are shown as they are.</summary>
    /// <param name="project">The project's file.</param>
    /// <param name="framework">The framework, of a project with several; <c>null</c> for the only one.</param>
    /// <param name="console">Where errors are shown.</param>
    /// <param name="cancellationToken">Ends the build.</param>
    /// <returns>The path of the assembly; <c>null</c> where the project does not build.</returns>
    /// <exception cref="InputException">The project has several frameworks, or there is no SDK.</exception>
    public static async Task<string?> RunAsync(string project, string? framework, CommandConsole console, CancellationToken cancellationToken)
    {
        var start = new ProcessStartInfo("dotnet") { RedirectStandardOutput = true, RedirectStandardError = true, UseShellExecute = false };
        string[] arguments = ["build", project, "-p:WeirAcceptsContract=true", "-t:Build", "-getProperty:TargetPath", "-nologo", .. framework is null ? [] : new[] { "-f", framework }];
        foreach (var argument in arguments)
        {
            start.ArgumentList.Add(argument);
        }

        using var build = Start(start);
        try
        {
            // A build that is asked for a property writes its errors to standard error.
            var reading = build.StandardError.ReadToEndAsync(cancellationToken);
            var output = await build.StandardOutput.ReadToEndAsync(cancellationToken);
            var errors = await reading;
            await build.WaitForExitAsync(cancellationToken);
            if (build.ExitCode != 0)
            {
                foreach (var line in errors.TrimEnd().Split('\n'))
                {
                    await console.Error.WriteLineAsync(line.TrimEnd('\r'));
                }

                await console.Error.WriteLineAsync($"weir: {project} does not build.");
                return null;
            }

            var path = output.Trim();
            return path.Length > 0 && !path.Contains('\n', StringComparison.Ordinal) ? path : throw new InputException($"{project} has several frameworks; choose one with --framework.");
        }
        catch (OperationCanceledException)
        {
            build.Kill(entireProcessTree: true);
            throw;
        }
    }

    private static Process Start(ProcessStartInfo start)
    {
        try
        {
            return Process.Start(start) ?? throw new InputException("dotnet cannot be started; give --assembly.");
        }
        catch (Win32Exception failure)
        {
            throw new InputException($"dotnet cannot be started ({failure.Message}); install the SDK, or give --assembly.", failure);
        }
    }
}
