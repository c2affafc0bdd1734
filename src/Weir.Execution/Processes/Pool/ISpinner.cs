namespace Weir.Execution.Processes;

/// <summary>Somebody who may poll while it holds a token.</summary>
internal interface ISpinner
{
    /// <summary>Whether it has something to do; a hint.</summary>
    bool IsBusy { get; }

    /// <summary>It may poll from now on, or not. Under the lock of the tokens.</summary>
    void AllowSpin(bool isAllowed);
}
