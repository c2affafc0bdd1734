using System.ComponentModel;
using System.Diagnostics;

namespace Weir.Lab.Measuring;

/// <summary>Programs of the machine that the lab asks or runs.</summary>
internal static class Tool
{
    /// <summary>The program's full path, or null when none is on the PATH.</summary>
    public static string? Find(string program) =>
        (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
            .Select(folder => Path.Combine(folder, program))
            .FirstOrDefault(File.Exists);

    /// <summary>The first line a program prints, or null when it cannot be run or fails.</summary>
    public static string? FirstLine(string program, params IEnumerable<string> arguments)
    {
        try
        {
            using var process = Process.Start(new ProcessStartInfo(program, arguments)
            {
                RedirectStandardOutput = true,
                RedirectStandardError = true,
                RedirectStandardInput = true,
            })!;
            var line = process.StandardOutput.ReadLine();
            process.StandardOutput.ReadToEnd();
            process.WaitForExit();
            return process.ExitCode == 0 ? line : null;
        }
        catch (Win32Exception)
        {
            return null;
        }
    }
}
