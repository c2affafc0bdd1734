using System.Globalization;
using Weir.Lab.Measuring;

namespace Weir.Lab.Processes;

/// <summary>
/// A mark in the environment of a process, which all processes that it starts inherit, also when they get another parent:
/// they are found by reading all of <c>/proc</c>. A process that is executing a program at this moment has no environment to read, and is not found.
/// </summary>
internal sealed class EnvironmentMark
{
    private const string Variable = "WEIR_LAB_MARK";

    private readonly string _value = Guid.NewGuid().ToString("N");

    /// <summary>The running processes that have it.</summary>
    public IReadOnlyList<int> Bearers =>
    [
        .. Directory.EnumerateDirectories("/proc")
            .Select(folder => int.TryParse(Path.GetFileName(folder), NumberStyles.None, CultureInfo.InvariantCulture, out var pid) ? pid : 0)
            .Where(pid => pid > 0 && IsBorneBy(pid) && new ProcessMeter(pid).IsAlive),
    ];

    /// <summary>The same program, marked.</summary>
    public ProgramLaunch On(ProgramLaunch launch) =>
        launch with { Environment = new Dictionary<string, string>(launch.Environment) { [Variable] = _value } };

    private bool IsBorneBy(int pid) => ProcFile.Text(string.Create(CultureInfo.InvariantCulture, $"/proc/{pid}/environ")).Contains($"{Variable}={_value}", StringComparison.Ordinal);
}
