namespace Weir.Tests.Processes.Interleavings;

/// <summary>
/// Explores every interleaving of a model, depth first. A state that was seen is not explored again; a path is repeated from its start,
/// because a table cannot be copied.
/// </summary>
internal sealed class Explorer(ModelSetup setup)
{
    private readonly HashSet<ulong> _seen = [];

    // Bounded by the depth of the model and the width of each step.
    private readonly Stack<Step[]> _open = new();

    public int States => _seen.Count;

    public int Ends { get; private set; }

    public void Walk()
    {
        _open.Push([]);
        var steps = new List<Step>();
        while (_open.TryPop(out var path))
        {
            var walked = new List<Step>(path);
            try
            {
                var model = new Model(setup);
                foreach (var step in path)
                {
                    model.Take(step);
                }

                Follow(model, walked, steps);
            }
            catch (InvalidOperationException failure)
            {
                throw new InvalidOperationException($"{failure.Message}\nafter {string.Join(", ", walked.Select(static step => $"{step.Kind} {step.Index}"))}", failure);
            }
        }
    }

    // Follows the first branch as long as its states are new; the other branches are queued.
    private void Follow(Model model, List<Step> walked, List<Step> steps)
    {
        while (_seen.Add(model.Fingerprint()))
        {
            model.Next(steps);
            if (steps.TrueForAll(static step => step.Kind is StepKind.Pause or StepKind.Die or StepKind.Leave))
            {
                // Nothing continues by itself.
                model.Rests();
                Ends++;
            }

            if (steps.Count == 0)
            {
                return;
            }

            for (var i = 1; i < steps.Count; i++)
            {
                _open.Push([.. walked, steps[i]]);
            }

            walked.Add(steps[0]);
            model.Take(steps[0]);
        }
    }
}
