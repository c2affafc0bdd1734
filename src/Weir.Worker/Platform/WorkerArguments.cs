using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Weir.Worker.Platform;

/// <summary>A worker's command line. Values that may be secret come in HELLO instead.</summary>
/// <param name="HostProcessId">The process that must be the parent.</param>
/// <param name="Application">The assembly that holds the application's catalogs; <c>null</c> where they are linked in.</param>
/// <param name="Pipes">The prefix of the names of the host's two pipes; <c>null</c> where the channels are inherited.</param>
internal sealed record WorkerArguments(int HostProcessId, string? Application, string? Pipes)
{
    public static bool TryParse(ReadOnlySpan<string> args, [NotNullWhen(true)] out WorkerArguments? arguments, out string? problem)
    {
        arguments = null;
        string? application = null;
        string? pipes = null;
        int host = 0;
        for (var i = 0; i < args.Length; i += 2)
        {
            var value = i + 1 < args.Length ? args[i + 1] : "";
            switch (args[i])
            {
                case "--app" when value.Length > 0:
                    application = value;
                    break;
                case "--pipes" when value.Length > 0:
                    pipes = value;
                    break;
                case "--host" when TryReadProcessId(value, out host):
                    break;
                default:
                    problem = Misunderstood(args[i], value);
                    return false;
            }
        }

        if (host == 0)
        {
            problem = "--host is missing";
            return false;
        }

        arguments = new WorkerArguments(host, application, pipes);
        problem = null;
        return true;
    }

    // Not inlined, as the caller would load the types that interpolate a text.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static string Misunderstood(string name, string value) => $"'{name} {value}' is not understood";

    /// <summary>Digits only. Not by <c>int.TryParse</c>, which makes the process load its culture's data before it has done anything.</summary>
    internal static bool TryReadProcessId(string text, out int processId)
    {
        var number = 0L;
        foreach (var digit in text)
        {
            number = char.IsAsciiDigit(digit) && number <= int.MaxValue ? (number * 10) + (digit - '0') : long.MaxValue;
        }

        processId = number is > 0 and <= int.MaxValue ? (int)number : 0;
        return processId > 0;
    }
}
