using System.Diagnostics;
using Weir.Lab.Engine;
using Weir.Lab.Measuring;

namespace Weir.Lab.Processes;

/// <summary>An application of this repository, published into a folder of its own until it is disposed.</summary>
internal sealed class PublishedProgram : IDisposable
{
    /// <summary>Compiled ahead of time into one executable.</summary>
    public const string Native = "native";

    private PublishedProgram(DirectoryInfo folder, string project)
    {
        Folder = folder;
        Executable = Path.Combine(folder.FullName, project);
    }

    /// <summary>What native compilation needs.</summary>
    public static Availability NeedsOfNative =>
        Tool.Find("clang") is null && Tool.Find("gcc") is null ? Availability.Missing("apt-get install clang zlib1g-dev") : Availability.Present;

    public DirectoryInfo Folder { get; }

    public string Executable { get; }

    /// <summary>Publishes it; takes a minute or two.</summary>
    /// <param name="project">A project below bench, which imports Published.props.</param>
    /// <param name="mode">What Published.props calls it.</param>
    /// <exception cref="InvalidDataException">It could not be published.</exception>
    public static PublishedProgram Publish(string project, string mode)
    {
        var program = new PublishedProgram(Directory.CreateTempSubdirectory("weir-lab-published-"), project);
        try
        {
            program.PublishHere(Path.Combine(BuiltPrograms.Repository, "bench", project), mode);
            return program;
        }
        catch
        {
            program.Dispose();
            throw;
        }
    }

    public void Dispose() => Folder.Delete(recursive: true);

    private void PublishHere(string path, string mode)
    {
        string[] command = ["publish", path, "-c", "Release", $"-p:WeirPublished={mode}", "-o", Folder.FullName, "-v", "quiet", "-nologo", "-m:1"];
        using var process = Process.Start(new ProcessStartInfo("dotnet", command) { RedirectStandardOutput = true, RedirectStandardError = true })!;

        // Both at the same time: a full pipe would stop it.
        var errors = process.StandardError.ReadToEndAsync();
        var output = (process.StandardOutput.ReadToEnd() + errors.GetAwaiter().GetResult()).Trim();
        process.WaitForExit();
        if (process.ExitCode != 0 || !File.Exists(Executable))
            throw new InvalidDataException($"dotnet {string.Join(' ', command)} ended with code {process.ExitCode}: {output[..Math.Min(500, output.Length)]}");
    }
}
