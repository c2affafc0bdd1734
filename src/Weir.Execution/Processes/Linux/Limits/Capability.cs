using System.Globalization;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Processes.Linux.Limits;

/// <summary>The capabilities of this process: rights beyond those of an ordinary process.</summary>
internal static class Capability
{
    private const string Field = "CapEff:";

    public static bool IsHeld(int number) => KernelFile.Read("/proc/self/status") is { } status && IsIn(status, number);

    /// <param name="status">The text of <c>/proc/…/status</c>.</param>
    /// <param name="number">A CAP_ constant of capability.h.</param>
    internal static bool IsIn(string status, int number) =>
        status.Split('\n').FirstOrDefault(static line => line.StartsWith(Field, StringComparison.Ordinal)) is { } line
        && ulong.TryParse(line.AsSpan(Field.Length).Trim(), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var held)
        && (held >> number & 1) != 0;
}
