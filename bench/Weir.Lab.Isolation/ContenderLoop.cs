using System;
using System.Collections.Generic;

namespace Weir.Lab.Isolation;

/// <summary>A contender's side of the lines: says that it is ready, then answers what it is asked until its input ends.</summary>
public static class ContenderLoop
{
    /// <summary>Runs until the input ends. What <paramref name="answer"/> throws becomes an error line, and the loop continues.</summary>
    public static void Run(ControlLine ready, Func<ControlLine, IEnumerable<ControlLine>> answer)
    {
        Console.WriteLine(ready);
        while (Console.ReadLine() is { } text)
        {
            if (ControlLine.Parse(text) is not { } request)
                continue;

            foreach (var line in Answers(request, answer))
                Console.WriteLine(line);
        }
    }

    private static List<ControlLine> Answers(ControlLine request, Func<ControlLine, IEnumerable<ControlLine>> answer)
    {
        try
        {
            return new List<ControlLine>(answer(request));
        }
        catch (Exception exception)
        {
            return new List<ControlLine> { new ControlLine("error").With("message", $"{exception.GetType().Name}: {exception.Message}") };
        }
    }
}
