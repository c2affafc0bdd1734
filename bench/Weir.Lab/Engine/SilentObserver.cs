namespace Weir.Lab.Engine;

/// <summary>Shows nothing.</summary>
internal sealed class SilentObserver : IRunObserver
{
    public void ExperimentStarted(Experiment experiment)
    {
    }

    public void Step(string what)
    {
    }

    public void ExperimentEnded(ExperimentResult result)
    {
    }
}
