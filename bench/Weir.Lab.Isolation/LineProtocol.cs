using System;
using System.Globalization;

namespace Weir.Lab.Isolation;

/// <summary>The worker's side of the document's protocol: a line in, a line out, until the input ends.</summary>
public static class LineProtocol
{
    /// <summary>Arguments are decimal numbers.</summary>
    public const string Value = "VALUE";

    /// <summary>Arguments are base64.</summary>
    public const string Blob = "BASE64";

    /// <summary>The worker program's <c>Main</c>: the mode, then the kind of task.</summary>
    public static void Run(string[] arguments)
    {
        var mode = arguments.Length > 0 ? arguments[0] : Value;
        var kind = arguments.Length > 1 ? (TaskKind)Enum.Parse(typeof(TaskKind), arguments[1]) : TaskKind.Load;
        while (Console.ReadLine() is { } line)
        {
            Console.WriteLine(mode == Value
                ? new HelloTask().DoTask(kind, int.Parse(line, CultureInfo.InvariantCulture))
                : new HelloTask().DoTask(kind, Convert.FromBase64String(line)));
        }
    }
}
