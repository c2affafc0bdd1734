using System.CommandLine;
using Weir.Lab.Contenders;
using Weir.Lab.Contenders.Floors;
using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Isolation;

namespace Weir.Lab.Commands;

/// <summary><c>lab contender NAME key=value…</c>: how the lab starts its own contenders; not for people.</summary>
internal static class ContenderCommand
{
    public static Command Create()
    {
        var name = new Argument<string>("name");
        var settings = new Argument<string[]>("settings") { Arity = ArgumentArity.ZeroOrMore };
        var command = new Command("contender", "Runs one contender, spoken to over standard input and output.") { name, settings };
        command.Hidden = true;
        command.SetAction(async (parsed, _) =>
        {
            var line = new ControlLine("start");
            foreach (var setting in parsed.GetValue(settings) ?? [])
            {
                var parts = setting.Split('=', 2);
                line.With(parts[0], parts.ElementAtOrDefault(1) ?? "");
            }

            // The other side of a floor speaks no lines: what it answers is all it does.
            if (parsed.GetRequiredValue(name) == "echo")
                EchoProcess.Run(line);
            else
                await ContenderHost.RunAsync(ContenderPrograms.Create(parsed.GetRequiredValue(name)), line);
            return 0;
        });
        return command;
    }
}
