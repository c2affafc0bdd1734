namespace Weir.Lab.Engine;

/// <summary>Shows the progress of a run.</summary>
internal interface IRunObserver
{
    void ExperimentStarted(Experiment experiment);

    /// <summary>The next step, such as <c>1 KB · weir · round 2 of 5</c>.</summary>
    void Step(string what);

    void ExperimentEnded(ExperimentResult result);
}
