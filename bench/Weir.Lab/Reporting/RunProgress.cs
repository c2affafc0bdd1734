using Spectre.Console;
using Weir.Lab.Engine;

namespace Weir.Lab.Reporting;

/// <summary>Shows which step runs and how much time is left; on a console that cannot redraw, only what has ended.</summary>
internal sealed class RunProgress(IAnsiConsole console, RunForecast forecast, Action<ExperimentResult> ended) : IRunObserver
{
    private string _experiment = "";

    /// <summary>The line that is redrawn, or null.</summary>
    public StatusContext? Status { get; set; }

    public void ExperimentStarted(Experiment experiment)
    {
        forecast.Next();
        _experiment = experiment.Name;
        if (Status is null)
            console.WriteLine(Line(""));
    }

    public void Step(string what) => Status?.Status(Markup.Escape(Line(what)));

    public void ExperimentEnded(ExperimentResult result) => ended(result);

    private string Line(string step) =>
        $"[{forecast.Number}/{forecast.Count}] {_experiment}  {step}  {Duration(forecast.Elapsed)} gone, about {Duration(forecast.Left())} left";

    private static string Duration(TimeSpan time) =>
        time.TotalMinutes >= 1 ? $"{(int)time.TotalMinutes} min {time.Seconds} s" : $"{time.TotalSeconds:0} s";
}
