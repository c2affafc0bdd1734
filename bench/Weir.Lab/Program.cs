using System.CommandLine;
using Weir.Lab.Commands;

var lab = new RootCommand("Runs the experiments of the documents beside their peers, and says which promises hold.")
{
    ListCommand.Create(),
    RunCommand.Create(),
    CompareCommand.Create(),
    ReportCommand.Create(),
    ContenderCommand.Create(),
};

return await lab.Parse(args).InvokeAsync();
