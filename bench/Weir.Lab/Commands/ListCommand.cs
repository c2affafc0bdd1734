using System.CommandLine;
using Weir.Lab.Experiments;

namespace Weir.Lab.Commands;

/// <summary><c>lab list</c>.</summary>
internal static class ListCommand
{
    public static Command Create()
    {
        var command = new Command("list", "Names the experiments and what they ask.");
        command.SetAction(_ =>
        {
            foreach (var experiment in AllExperiments.List)
                Console.WriteLine($"{experiment.Name,-22} {experiment.Question}");
            return 0;
        });
        return command;
    }
}
