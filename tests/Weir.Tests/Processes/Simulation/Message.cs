namespace Weir.Tests.Processes.Simulation;

internal enum MessageKind
{
    Started,
    Item,
    Answer,
    Garbage,
}

/// <summary>What a worker says on its data channel.</summary>
/// <param name="Kind">What it says.</param>
/// <param name="Id">Of which call, in the worker.</param>
/// <param name="Call">Which one that really is.</param>
/// <param name="Number">Which item of it.</param>
internal readonly record struct Message(MessageKind Kind, ulong Id, SimulatedCall? Call, int Number = 0);
