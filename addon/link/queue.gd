@tool
extends RefCounted
## The requests that wait for their turn, in the order in which they came.

const Job = preload("./job.gd")

# What came in, and which of it is next: taking from the front of an Array moves all the rest.
var _jobs: Array[Job] = []
var _next: int = 0


## True when none waits.
func is_empty() -> bool:
	return _next == _jobs.size()


## Adds one at the end.
func add(job: Job) -> void:
	_jobs.append(job)


## Takes the first one. There has to be one.
func take() -> Job:
	var job: Job = _jobs[_next]
	_next += 1
	if is_empty():
		clear()
	return job


## Takes the one with this id that came by this link; null when none such waits.
func withdraw(id: String, owner: RefCounted) -> Job:
	for index: int in range(_next, _jobs.size()):
		var job: Job = _jobs[index]
		if job.id == id and job.owner == owner:
			_jobs.remove_at(index)
			return job
	return null


## Takes all that came by this link.
func drop(owner: RefCounted) -> Array[Job]:
	var dropped: Array[Job] = []
	var kept: Array[Job] = []
	for job: Job in _jobs.slice(_next):
		if job.owner == owner:
			dropped.append(job)
		else:
			kept.append(job)
	_jobs = kept
	_next = 0
	return dropped


## Forgets all.
func clear() -> void:
	_jobs.clear()
	_next = 0
